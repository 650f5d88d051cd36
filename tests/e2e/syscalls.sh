#!/bin/sh
# SPDX-License-Identifier: MIT
# System calls on every kind of memory, then the GPU's opinion of the bytes. Usage: syscalls.sh BUILD_DIR WORK_DIR
. "$(dirname "$0")/lib.sh"
by_clang syscalls -g "$source/syscalls.cu"
for run in "tx2 lazy" "tx2 eager" "orin lazy" "orin eager" "nano lazy" "thor lazy" "xavier seeded --seed 3"; do
    # shellcheck disable=SC2086
    set -- $run
    soc=$1
    shift
    expect "system calls, $run" 0 "active managed done" "$vtegra" run -q --soc "$soc" --policy "$@" -- ./syscalls
    case $soc in
    # cudaHostRegister from compute capability 7.2 on (note, 3.5)
    tx2 | nano) also "$run" "registered: not on this board: cudaErrorNotSupported" ;;
    *) also "$run" "registered done" ;;
    esac
done
if [ -z "$sanitized" ]; then # with every access hooked, too; but not two sanitizers
    by_clang syscalls_tracked --track -g "$source/syscalls.cu"
    expect "system calls, tracked" 0 "active managed done" "$vtegra" run -q --soc tx2 -- ./syscalls_tracked
fi
finish
