#!/usr/bin/env bash
# build.sh PRESET [TARGET...]: configures and builds a preset, silent unless something fails.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift

echo "[limber] building $preset"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! cmake --preset "$preset" >"$log" 2>&1; then
    cat "$log" >&2
    echo "[limber] FAILED: configuring $preset" >&2
    exit 1
fi
if ! cmake --build --preset "$preset" ${1:+--target "$@"} -- --quiet; then
    echo "[limber] FAILED: building $preset" >&2
    exit 1
fi
