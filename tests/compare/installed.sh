#!/bin/sh
# SPDX-License-Identifier: MIT
# An installed vtegra stands beside its own libcuda.so.1, which is not NVIDIA's driver: vtegra compare finds that one, or none.
# What the tools look for beside themselves is installed, too: QEMU's modules.
# Usage: installed.sh BUILD_DIR
prefix=$(mktemp -d) || exit 2
trap 'rm -rf "$prefix"' EXIT
cmake --install "$1" --prefix "$prefix" >"$prefix/log" 2>&1 || {
    cat "$prefix/log"
    exit 1
}
unset LD_LIBRARY_PATH
"$prefix/bin/vtegra" compare -- true >"$prefix/out" 2>&1
status=$?
cat "$prefix/out"
[ -e "$prefix/lib/libcuda.so.1" ] || exit 1
if grep -q "vtegra's own" "$prefix/out"; then
    exit 1
fi
for module in vtegra-qemu.so vtegra-user.so; do
    if [ -e "$1/lib/$module" ] && ! [ -e "$prefix/lib/$module" ]; then
        echo "lib/$module is not installed"
        exit 1
    fi
done
[ $status != 77 ] || grep -q "there is no libcuda.so.1" "$prefix/out"
