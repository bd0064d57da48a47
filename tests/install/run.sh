#!/usr/bin/env bash
# run.sh SOURCE BUILD CC: installs BUILD into an empty place, moves it, and builds and runs examples/hello.c against
# what is there, by find_package and by pkg-config, with the static and with the shared library.
set -euo pipefail
source_dir=$1
build_dir=$2
cc=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

quietly() {
    "$@" >"$scratch/log" 2>&1 || { cat "$scratch/log"; echo "FAILED: $*"; exit 1; }
}

run() {
    echo "$1: $("${@:2}")" || { echo "FAILED: $1"; exit 1; }
}

quietly cmake --install "$build_dir" --prefix "$scratch/first"
mv "$scratch/first" "$scratch/moved"
prefix=$scratch/moved

if grep -rIlF -e "$source_dir" -e "$scratch/first" "$prefix"; then
    echo "FAILED: the files above name the place that limber was built or installed in"
    exit 1
fi

# find_package
quietly cmake -S "$source_dir/tests/install" -B "$scratch/build" -G Ninja -DCMAKE_C_COMPILER="$cc" \
    -DCMAKE_PREFIX_PATH="$prefix" -DHELLO_SOURCE="$source_dir/examples/hello.c"
quietly cmake --build "$scratch/build"
run "find_package, limber::limber" "$scratch/build/hello_static"
run "find_package, limber::limber_shared" "$scratch/build/hello_shared"

# pkg-config
pc_file=$(find "$prefix" -name limber.pc)
library_dir=$(dirname "$(dirname "$pc_file")")
export PKG_CONFIG_PATH=${pc_file%/*}
hello="$cc -std=c17 -Wall -Wextra -Wpedantic -Werror $source_dir/examples/hello.c -o $scratch/hello"
quietly bash -c "$hello \$(pkg-config --cflags --libs limber)"
run "pkg-config" env LD_LIBRARY_PATH="$library_dir" "$scratch/hello"
# With both libraries in one folder the linker takes the shared one, unless asked for the other by its file's name.
quietly bash -c "$hello \$(pkg-config --static --cflags --libs limber | sed 's/-llimber/-l:liblimber.a/')"
run "pkg-config --static" "$scratch/hello"

for program in "$scratch/build/hello_static" "$scratch/hello"; do
    if readelf -d "$program" | grep -q 'NEEDED.*liblimber'; then
        echo "FAILED: $program should hold limber itself, and needs the shared library"
        exit 1
    fi
done
