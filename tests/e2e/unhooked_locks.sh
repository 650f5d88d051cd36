#!/bin/sh
# SPDX-License-Identifier: MIT
# unhooked_locks.sh BUILD_DIR WORK_DIR: programs without compiler hooks whose threads wait at locks in memory that is in use: the C library ends a
# program whose futex(2) answers EFAULT. All are right: they end, with their results, and have no finding.
. "$(dirname "$0")/lib.sh"
pages_are_closed
by_clang unhooked_locks -g -O1 -std=c++17 "$source/unhooked_locks.cu"

# right CASE BOARD POLICY
right() {
    # shellcheck disable=SC2086 # words
    expect "$1 $2 $3" 0 right timeout 60 "$vtegra" run --soc "$2" --policy $3 --report report -- ./unhooked_locks "$1"
    tests=$((tests + 1))
    ! grep -qE "^  [0-9]+\. (error|warning):" report || fail "$1 $2 $3: a finding"
}
for what in plain inherits robust condition semaphore rwlock barrier futexes interrupted; do
    for policy in lazy eager "seeded --seed 1"; do
        case $policy in seeded*) export SEEDED=1 ;; esac
        right $what orin "$policy"
        in_turn 2 || [ "$policy" = lazy ] || { unset SEEDED; continue; }
        right $what thor "$policy"
        export REGISTERED=1
        right $what orin "$policy"
        unset REGISTERED SEEDED
    done
done
export REGISTERED=1
for policy in lazy eager "seeded --seed 1"; do
    right waits_before orin "$policy"
done
finish
