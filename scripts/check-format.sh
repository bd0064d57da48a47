#!/usr/bin/env bash
# Says which source files clang-format would change. `scripts/check-format.sh --fix` changes them.
set -euo pipefail
cd "$(dirname "$0")/.."

mode=(--dry-run --Werror)
if [[ ${1:-} == --fix ]]; then
    mode=(-i)
fi
folders=()
for folder in include src cli gmsh mpi server verify bench fuzz tests examples scripts/plots; do
    if [[ -d $folder ]]; then
        folders+=("$folder")
    fi
done
find "${folders[@]}" \( -name '*.c' -o -name '*.h' -o -name '*.cpp' \) -print0 | xargs -0 clang-format "${mode[@]}"
