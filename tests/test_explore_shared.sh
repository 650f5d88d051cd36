#!/bin/sh
# SPDX-License-Identifier: MIT
# `vtegra explore --shared`: two processes on one board, seed by seed. test_explore_shared.sh VTEGRA SCI_TURNS SCHED_PROCESSES
vtegra=$1 two=$2 plain=$3
work=$(mktemp -d /tmp/vteXXXXXX) || exit 1
trap 'rm -rf "$work"' EXIT
unset VTEGRA_BOARD VTEGRA_SOC VTEGRA_POLICY VTEGRA_STRATEGY
mkdir "$work/run" "$work/tmp"
cd "$work/run" || exit 1
echo "INTER_PROCESS cam app 16 4096" >../cfg
export VTEGRA_NVSCIIPC_CFG="$work/cfg" TMPDIR="$work/tmp"
bad=0
fail() {
    echo "FAIL: $*"
    bad=1
}
explore() {
    timeout 300 "$vtegra" explore --shared "$@" >out 2>err
}

explore --runs 2 -- "$two" both 3 gpu || fail "a right program: $(cat out err)"
grep -q "2 runs, 0 failed" err || fail "a right program: $(cat err)"

# app does not wait for cam's frame: each seed shows it, and the line is one of the reports of the processes
WITHOUT=frame explore --runs 2 --out lines -- "$two" both 3 gpu
[ $? = 1 ] || fail "without a wait: status is not 1"
grep -q "2 runs, 2 failed" err && grep -q "vtegra run --shared .*--seed 0 -- " err || fail "without a wait: $(cat err)"
# ... as any run does, which is told
grep -q "all 2 runs failed in the same way.* vtegra run --shared --soc .* shows it, too" err || fail "alike: $(cat err)"
[ "$(grep -c '"shared":true,.*"findings":\["race"\],"bugs":\["race at .*sci_two.c:' lines)" = 2 ] || fail "the lines: $(cat lines)"
! grep -q '"steps"' lines || fail "steps of several processes: $(cat lines)"
# the command of the line is the same run: its report has the race
command=$(sed -n 's/^  vtegra \(run --shared .*--seed 0\) -- .*/\1/p' err)
# shellcheck disable=SC2086 # words
WITHOUT=frame timeout 100 "$vtegra" $command -q -- "$two" both 3 gpu >out 2>&1
cat ./*.report 2>/dev/null | grep -q "Race:" || fail "the command of the first seed: $(cat out)"

# no CUDA: --check decides; an increment is lost in some orders of the processes, and each seed has one order
for run in 1 2; do
    explore --runs 8 --lines --check 'cat "$VTEGRA_OUTPUT"; ! grep -qx 40 "$VTEGRA_OUTPUT"' -- "$plain" lost
    grep -o '"seed":.*' out | sort >sums$run
done
[ "$(wc -l <sums1)" = 8 ] && cmp -s sums1 sums2 || fail "seeds are not repeated: $(cat sums1 sums2)"
[ "$(sed 's/.*"output"://' sums1 | sort -u | wc -l)" -gt 1 ] || fail "all seeds are one order: $(cat sums1)"

# only the greatest of these sums is right: some orders fail, which are not told as alike, and the command of the first is its order
explore --runs 8 --check 'cat "$VTEGRA_OUTPUT" >>counts' -- "$plain" lost
most=$(sed -n 's/^0 0 //p' counts | sort -n | tail -n 1)
explore --runs 8 --check "grep -qx '0 0 $most' \"\$VTEGRA_OUTPUT\"" -- "$plain" lost
[ $? = 1 ] && grep -q "8 runs, [1-7] failed" err || fail "orders with less than $most fail: $(cat err)"
! grep -q "in the same way" err || fail "orders that differ are told as alike: $(cat err)"
command=$(sed -n 's/^  vtegra \(run --shared .*--seed [0-9]*\) -- .*/\1/p' err)
# shellcheck disable=SC2086 # words
timeout 100 "$vtegra" $command -q -- "$plain" lost >out 2>err
grep -q "^0 0 [0-9]*$" out && ! grep -qx "0 0 $most" out || fail "the command of the first failing seed: $(cat out err)"

# a run that takes too long is killed with all its processes, and nothing is left
explore --runs 1 --timeout 2 -- sh -c 'while :; do :; done & while :; do :; done'
grep -q "took more than 2 s" err || fail "no time limit: $(cat err)"
explore --runs 1 --schedule s -- "$plain" lost
grep -q "a schedule is of one process" err || fail "--schedule: $(cat err)"
[ -z "$(ls ../tmp)" ] || fail "files are left: $(ls ../tmp)"

# %p: a report for each process
WITHOUT=frame timeout 100 "$vtegra" run -q --shared --json 'of%p.json' -- sh -c '"$1" cam 3 & "$1" app 3 gpu; wait' sh "$two" >out 2>&1
[ "$(ls of[0-9]*.json | wc -l)" = 2 ] && [ "$(cat of*.json | grep -o '"process" *: *[0-9]*' | sort -u | wc -l)" = 2 ] ||
    fail "a report for each process: $(ls)"
exit $bad
