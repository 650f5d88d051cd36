#!/bin/sh
# SPDX-License-Identifier: MIT
# A surface of NvBufSurface goes to another process as a file descriptor: on a shared board it is the same memory there, and on a board of one
# process the other one is refused, with the reason. And without compiler hooks a missing synchronisation is found, in both directions.
# Usage: nvbuf_fd.sh BUILD_DIR WORK_DIR
. "$(dirname "$0")/lib.sh"
"${CC:-cc}" -g -I"$source/../../include" "$source/nvbuf_fd.c" -o nvbuf_fd -L"$lib" -lnvbufsurface -Wl,-rpath-link,"$lib" || exit 1
expect "two processes" 0 "parent: 0 wrong" "$vtegra" run --shared --soc xavier -- ./nvbuf_fd
also "two processes" "child: 0 wrong"
expect "two boards" 1 "the child has no surface" "$vtegra" run --soc xavier -- ./nvbuf_fd
also "two boards" "the processes share no board"

# unsynced SCENARIO RULE: without hooks
unsynced() {
    by_clang "$1" -g -O1 -fno-inline "$source/../../scenarios/$1/$1.cu" -lnvbufsurftransform -lnvbufsurface
    expect "$1" 1 "pixels are wrong" "$vtegra" run --soc xavier -- "./$1"
    also "$1" "rule $2 ("
    also "$1" "(surf, index, 0)"
    expect "$1 fixed" 0 "0 of " "$vtegra" run --soc xavier -- "./$1" fixed
    also "$1 fixed" "Findings none"
}

if [ -z "$sanitized" ] && [ "$(uname -m)" = x86_64 ]; then
    unsynced nvbuf_no_sync_for_device stale-cpu-clean-missing
    # Where memory stays open, the CPU's stores are not seen: what is missing is said when the surface is given to the engine.
    expect "on a shared board" 1 "pixels are wrong" "$vtegra" run --shared --soc xavier -- ./nvbuf_no_sync_for_device
    also "on a shared board" "rule surface-sync-for-device-missing ("
    unsynced nvbuf_no_sync_for_cpu stale-cpu-invalidate-missing
fi
finish
