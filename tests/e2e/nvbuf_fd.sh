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

# By mmap() and DMA_BUF_IOCTL_SYNC, with and without a camera on the board.
"${CC:-cc}" -g -I"$source/../../include" "$source/nvbuf_mmap.c" -o nvbuf_mmap -L"$lib" -lnvbufsurftransform -lnvbufsurface -Wl,-rpath-link,"$lib" || exit 1
for camera in "" "--camera pattern:64x64@30"; do
    for soc in tx2 xavier orin; do
        for policy in lazy eager seeded; do
            # shellcheck disable=SC2086
            expect "mmap, $soc, $policy $camera" 0 "0 pixels are wrong, 0 answers" "$vtegra" run --soc $soc --policy $policy $camera -- ./nvbuf_mmap
            also "mmap, $soc, $policy $camera" "Findings none"
        done
    done
done
if [ -z "$sanitized" ] && [ "$(uname -m)" = x86_64 ]; then
    expect "mmap, END forgotten" 1 "8160 pixels are wrong" "$vtegra" run --soc xavier -- ./nvbuf_mmap no-sync-for-device
    also "mmap, END forgotten" "rule stale-cpu-clean-missing ("
    expect "mmap, START forgotten" 1 "8160 pixels are wrong, 0 answers" "$vtegra" run --soc xavier -- ./nvbuf_mmap no-sync-for-cpu
    also "mmap, START forgotten" "rule stale-cpu-invalidate-missing ("
fi

# Threads, with hooks: none waits for a lock of the driver with another one's held.
by_clang nvbuf_threads --track -g -O1 "$source/nvbuf_mmap.c" -lnvbufsurftransform -lnvbufsurface
for policy in lazy eager seeded; do
    expect "threads, $policy" 0 "0 pixels are wrong, 0 answers" timeout 60 "$vtegra" run --soc xavier --policy $policy -- ./nvbuf_threads threads
    also "threads, $policy" "Findings none"
done

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
