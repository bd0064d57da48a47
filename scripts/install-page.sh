#!/usr/bin/env bash
# install-page.sh [test]: installs what the page needs from npm (three.js), as web/package-lock.json has it, and for tests also
# what checks it; does nothing if that is there.
set -euo pipefail
cd "$(dirname "$0")/../web"

options=(--omit=dev)
if [[ ${1:-} == test ]]; then
    options=()
fi

# What was installed is remembered beside it: the lock file and whether the tests' packages are there too.
stamp=node_modules/.limber-installed
wanted="$(sha256sum package-lock.json | cut -d' ' -f1) ${options[*]-}"
everything="$(sha256sum package-lock.json | cut -d' ' -f1) "
if [[ -f $stamp ]] && { [[ $(<"$stamp") == "$wanted" ]] || [[ $(<"$stamp") == "$everything" ]]; }; then
    exit 0
fi

echo "[limber] installing the page's packages from npm"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! npm ci "${options[@]}" --no-audit --no-fund --loglevel=error >"$log" 2>&1; then
    cat "$log" >&2
    echo "[limber] FAILED: npm ci in web/" >&2
    exit 1
fi
echo "$wanted" >"$stamp"
