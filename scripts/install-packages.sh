#!/usr/bin/env bash
# install-packages.sh [test]: installs the Debian packages that limber is built with, its page's among them, and those that
# its tests need; does nothing if they are all there.
set -euo pipefail

packages=(build-essential cmake ninja-build pkg-config libassimp-dev libjansson-dev libwebsockets-dev
    libmumps-seq-dev libopenblas-dev)
# By command, not by package: Node.js often comes from elsewhere, and the packages of two sources exclude each other.
if ! command -v node >/dev/null; then
    packages+=(nodejs)
fi
if ! command -v npm >/dev/null; then
    packages+=(npm)
fi
if [[ ${1:-} == test ]]; then
    packages+=(clang-format python3 python3-jsonschema chromium)
fi

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "[limber] not a Debian system: nothing installed. limber needs what Debian calls: ${packages[*]}"
    exit 0
fi

missing=()
for package in "${packages[@]}"; do
    if [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) != installed ]]; then
        missing+=("$package")
    fi
done
if [[ ${#missing[@]} == 0 ]]; then
    exit 0
fi

as_root=()
if [[ $EUID != 0 ]]; then
    if ! command -v sudo >/dev/null; then
        echo "[limber] these packages are missing: ${missing[*]}" >&2
        echo "[limber] installing them takes root or sudo; as root: apt-get install ${missing[*]}" >&2
        exit 1
    fi
    as_root=(sudo)
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 "$@" \
        >"$log" 2>&1 </dev/null || {
        cat "$log" >&2
        echo "[limber] FAILED: apt-get $*" >&2
        exit 1
    }
}
echo "[limber] installing: ${missing[*]}"
apt update
apt install -y --no-install-recommends "${missing[@]}"
