#!/bin/sh
# SPDX-License-Identifier: MIT
# Configures (once) and builds one preset. Usage: scripts/build.sh PRESET [TARGET...]      without TARGET: everything
set -eu
cd "$(dirname "$0")/.."
preset=$1
shift
dir=build/$preset
log=$dir/build.log
if ! mkdir -p "$dir" || ! [ -w "$dir" ]; then
    echo "build: $PWD/$dir cannot be written by $(id -un); was it made by another user? Remove it and try again" >&2
    exit 1
fi

# A build folder made for another place (a copied or re-mounted tree) cannot be reused.
if [ -f "$dir/CMakeCache.txt" ] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "$dir/CMakeCache.txt"; then
    rm -rf "$dir"
    mkdir -p "$dir"
fi
if [ ! -f "$dir/build.ninja" ]; then
    cmake --preset "$preset" >"$log" 2>&1 || {
        cat "$log" >&2
        echo "build: cmake --preset $preset failed (above)" >&2
        exit 1
    }
fi
cmake --build --preset "$preset" ${1:+--target "$@"} >"$log" 2>&1 || {
    grep -vE '^\[[0-9]+/[0-9]+\] (Building|Linking)' "$log" >&2
    echo "build: cmake --build --preset $preset failed (above)" >&2
    exit 1
}
# Warnings are worth seeing even where they are not errors.
grep -A4 -E 'warning:' "$log" >&2 || true
