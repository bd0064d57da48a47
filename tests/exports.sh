#!/usr/bin/env bash
# exports.sh LIBRARY INCLUDE_DIR [--complete]: the shared library exports nothing but functions that the public headers
# declare as LB_API; with --complete, all of these.
set -euo pipefail
exported=$(nm -D --defined-only "$1" | awk '{ print $3 }' | sort -u)
declared=$(cat "$2"/limber/*.h | grep -v '^#' | tr '\n' ' ' | grep -oE 'LB_API [^;(]*\(' |
    sed -E 's/.*[ *](lb[A-Za-z0-9_]+) *\($/\1/' | sort -u)

failed=0
for symbol in $(comm -23 <(echo "$exported") <(echo "$declared")); do
    echo "FAILED: $symbol is exported, but no public header declares it as LB_API"
    failed=1
done
if [[ ${3:-} == --complete ]]; then
    for symbol in $(comm -13 <(echo "$exported") <(echo "$declared")); do
        echo "FAILED: $symbol is declared as LB_API, but the library does not have it"
        failed=1
    done
fi
for symbol in $declared; do
    if [[ ! $symbol =~ ^lb[A-Z][A-Za-z0-9]*(_[A-Z][A-Za-z0-9]*)?$ ]]; then
        echo "FAILED: $symbol is not named as public functions are: lbVerb or lbType_Verb"
        failed=1
    fi
done
echo "$(echo "$exported" | wc -l) exported, $(echo "$declared" | wc -l) declared"
exit $failed
