#!/usr/bin/env bash
# old_processor.sh QEMU PROGRAM BUILD: on a processor without AVX2, PROGRAM and what the limber command in BUILD runs
# kernels for end with a message and exit code 1, not with an illegal instruction; on one that has it, they run.
set -euo pipefail
qemu=$1
program=$2
limber=$3/limber

# expect CODE WORDS PROCESSOR COMMAND...
expect() {
    local code=0 output
    output=$("$qemu" -cpu "$3" "${@:4}" 2>&1) || code=$?
    if [[ $code != "$1" || $output != *"$2"* ]]; then
        echo "FAILED: on $3, ${*:4} ended with code $code; expected $1 and \"$2\". It said:"
        echo "$output"
        exit 1
    fi
    echo "$3: ${4##*/} ${*:5}: code $code"
}

expect 0 "limber runs here" Haswell "$program"
expect 1 "AVX2 and FMA" Nehalem "$program"
expect 1 "AVX2 and FMA" SandyBridge "$program"
if [[ -x $limber ]]; then
    expect 1 "AVX2 and FMA" Nehalem "$limber" bench machine
    expect 1 "AVX2 and FMA" Nehalem "$limber" verify
fi
