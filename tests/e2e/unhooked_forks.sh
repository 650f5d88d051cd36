#!/bin/sh
# SPDX-License-Identifier: MIT
# unhooked_forks.sh BUILD_DIR WORK_DIR: a child of fork() touches memory of work that its parent has not waited for: what was not checked stands
# in the parent's report, by the line of the access and that of fork(). Nothing stands there where the child touches nothing, or the parent
# has waited.
. "$(dirname "$0")/lib.sh"
pages_are_closed
forks=$source/unhooked_forks.cu
by_clang unhooked_forks -g -O1 "$forks"
line() {
    grep -n "// $1\$" "$forks" | cut -d: -f1
}
for memory in pinned registered; do
    [ $memory = pinned ] || export REGISTERED=1
    for policy in lazy "seeded --seed 1"; do
        for what in load store call; do
            # shellcheck disable=SC2086 # words
            expect "$what $memory $policy" 0 right "$vtegra" run --soc orin --policy $policy --report report -- ./unhooked_forks $what
            tests=$((tests + 1))
            tr -s ' \n' ' ' <report | grep -qE "not checked #1 [^#]* a child of fork\(\) at [^ ]*unhooked_forks.cu:$(line fork) in main accesses at [^ ]*unhooked_forks.cu:$(line $what) in " ||
                fail "$what $memory $policy: the child's access is not named"
            # shellcheck disable=SC2086 # words
            expect "$what fixed $memory $policy" 0 right "$vtegra" run --soc orin --policy $policy --report report -- ./unhooked_forks $what fixed
            tests=$((tests + 1))
            ! grep -qE "^  [0-9]+\. (error|warning):|^  not checked   #" report || fail "$what fixed $memory $policy: a finding"
        done
        for what in exec nothing; do
            # shellcheck disable=SC2086 # words
            expect "$what $memory $policy" 0 right "$vtegra" run --soc orin --policy $policy --report report -- ./unhooked_forks $what
            tests=$((tests + 1))
            ! grep -qE "^  [0-9]+\. (error|warning):|^  not checked   #" report || fail "$what $memory $policy: a finding"
        done
    done
done
# by JSON and the exit status, too
tests=$((tests + 1))
"$vtegra" run -q --soc orin --error-exitcode 8,9 --json report.json -- ./unhooked_forks load >out 2>&1
[ $? = 9 ] || fail "status $? where something was not checked"
grep -q '"missed" *: *"what a child of fork() at' report.json || fail "no not_checked in JSON"
finish
