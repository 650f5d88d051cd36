#!/bin/sh
# SPDX-License-Identifier: MIT
# two_threads.sh BUILD_DIR WORK_DIR [long]: mistakes that need two threads, in programs without hooks, with the default policy: each is
# found in nine of ten runs at least, and no corrected program has a finding.
. "$(dirname "$0")/lib.sh"
runs=10
[ "$thorough" != long ] || runs=40

# runs_of PROGRAM TEXT LINES RULE POLICY: $found of the runs have the rule at one of the lines of the source, and none goes on for ever. Ten
# runs are few for a share of nine tenths: what has less in them gets thirty more.
runs_of() {
    program=$1 text=$2 lines=$3 rule=$4 policy=$5 found=0 run=0 all=$runs
    while [ $run -lt $all ]; do
        run=$((run + 1))
        rm -f report
        timeout 60 "$vtegra" run --soc orin --policy "$policy" --report report -- ./"$program" >out 2>&1
        [ $? != 124 ] || fail "$program: run $run hangs"
        tests=$((tests + 1))
        if grep -q "rule  *$rule " report && grep -qE "where .*$text:($lines) in" report; then
            found=$((found + 1))
        fi
        [ $run != 10 ] || [ $found -ge 9 ] || all=40
    done
    tests=$((tests + 1))
    [ $((found * 10)) -ge $((all * 9)) ] || fail "$program: $rule in $found of $all runs, $policy"
    echo "$program: $rule in $found of $all runs, $policy"
    for run in 1 2 3; do
        expect "$program fixed $run" 0 "" timeout 60 "$vtegra" run --soc orin --policy "$policy" --report report -- ./"$program" fixed
        tests=$((tests + 1))
        ! grep -qE "^  [0-9]+\. (error|warning):" report || fail "$program fixed: a finding"
    done
}
# scenario NAME RULE POLICY...
scenario() {
    scene=$1 wanted=$2
    shift 2
    at="$source/../../scenarios/$scene/$scene.cu"
    by_clang "$scene" -g -O1 "$at"
    marks=$(grep -n 'found here' "$at" | cut -d: -f1 | tr '\n' '|')
    for how in "$@"; do
        runs_of "$scene" "$scene.cu" "${marks%|}" "$wanted" "$how"
    done
}
scenario attach_forgotten_camera managed-active-touch lazy
scenario attach_forgotten_workers managed-active-touch lazy
scenario lock_held_at_sync deadlock lazy
scenario lock_held_writer deadlock lazy
# the thread that waits makes no CUDA call
if [ -e "$lib/libnvscisync.so.1" ] && [ "$(uname -m)" = x86_64 ]; then
    by_clang sci_threads -g -O1 "$source/sci_threads.cu" -lnvscisync -lnvscibuf -lnvsciipc
    runs_of sci_threads sci_threads.cu "$(grep -n '// READ$' "$source/sci_threads.cu" | cut -d: -f1)" race lazy
fi
finish
