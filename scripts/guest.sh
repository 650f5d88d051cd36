#!/bin/sh
# SPDX-License-Identifier: MIT
# Everything that programs in a Linux guest need: the plugin and the compiler driver in build/release, the runtime for
# aarch64 and its libraries in build/aarch64, a kernel and a first file system in build/guest. Fetches Debian's arm64
# packages once (100 MB) and installs none of them.
# Usage: scripts/guest.sh        then: build/release/bin/vtegra cc --target aarch64 app.cu -o app
#                                      qemu-plugin/guest/run.sh --file app -- ./app
set -eu
cd "$(dirname "$0")/.."
log=build/aarch64/log

scripts/install-deps.sh --qemu
[ -f build/release/lib/vtegra-qemu.so ] && [ -x build/release/bin/vtegra ] || scripts/build.sh release
mkdir -p build/aarch64
scripts/cross-sysroot.sh >/dev/null
say_on_failure() {
    tail -n 20 "$log" >&2
    echo "guest: the runtime for aarch64 cannot be built ($log)" >&2
    exit 1
}
[ -f build/aarch64/build.ninja ] || cmake --preset aarch64 >"$log" 2>&1 || say_on_failure
cmake --build build/aarch64 --target cuda cudart cudla vtegra_board_client vtegra-preload nvscievent nvsciipc nvscibuf nvscisync \
    nvmedia2d nvbufsurface nvbufsurftransform nvbuf_utils egl_no_gl gles_none >"$log" 2>&1 || say_on_failure
qemu-plugin/guest/pack.sh
qemu-plugin/guest/make.sh
