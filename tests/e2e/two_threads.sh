#!/bin/sh
# SPDX-License-Identifier: MIT
# two_threads.sh BUILD_DIR WORK_DIR [long]: mistakes that need two threads, in programs without hooks, with the default policy: each is
# found in nine of ten runs at least, and no corrected program has a finding.
. "$(dirname "$0")/lib.sh"
runs=10
[ "$thorough" != long ] || runs=40

# runs_of NAME RULE: @found of the runs have the rule, and none goes on for ever
runs_of() {
    program=$1 rule=$2 found=0
    text=$source/../../scenarios/$program/$program.cu
    by_clang "$program" -g -O1 "$text"
    lines=$(grep -n 'found here' "$text" | cut -d: -f1 | tr '\n' '|')
    for run in $(seq $runs); do
        rm -f report
        timeout 60 "$vtegra" run --soc orin --report report -- ./"$program" >out 2>&1
        [ $? != 124 ] || fail "$program: run $run hangs"
        tests=$((tests + 1))
        if grep -q "rule  *$rule " report && grep -qE "where .*$program.cu:(${lines%|}) in" report; then
            found=$((found + 1))
        fi
    done
    tests=$((tests + 1))
    [ $((found * 10)) -ge $((runs * 9)) ] || fail "$program: $rule in $found of $runs runs"
    echo "$program: $rule in $found of $runs runs"
    for run in 1 2 3; do
        expect "$program fixed $run" 0 "" timeout 60 "$vtegra" run --soc orin --report report -- ./"$program" fixed
        tests=$((tests + 1))
        ! grep -qE "^  [0-9]+\. (error|warning):" report || fail "$program fixed: a finding"
    done
}
runs_of attach_forgotten_camera managed-active-touch
runs_of attach_forgotten_workers managed-active-touch
runs_of lock_held_at_sync deadlock
runs_of lock_held_writer deadlock
finish
