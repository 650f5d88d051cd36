#!/bin/sh
# SPDX-License-Identifier: MIT
# library_walk.sh VTEGRA PROGRAM...: programs of NVIDIA's libraries of mathematics end well on every board, with one board for several
# processes, on a board of another process, under seeds, with compiled kernels and with looks for races. A program that is given compares
# its results itself, also those of captured calls, and ends with status 0 if all are right.
set -u
vtegra=$1
shift
work=$(mktemp -d)
board=
trap 'kill $board 2>/dev/null; rm -rf "$work"' EXIT
runs=0
failed=0

# run NAME PROGRAM OPTION...
run() {
    name=$1 program=$2
    shift 2
    runs=$((runs + 1))
    timeout 300 "$vtegra" run -q "$@" -- "$program" >"$work/out" 2>"$work/err" </dev/null
    status=$?
    if [ $status -ne 0 ]; then
        failed=$((failed + 1))
        echo "$(basename "$program"), $name: status $status"
        head -5 "$work/out" "$work/err"
    fi
}

"$vtegra" board --soc orin --socket "$work/socket" 2>"$work/board" &
board=$!
for i in $(seq 300); do
    [ -S "$work/socket" ] && break
    sleep 0.1
done
[ -S "$work/socket" ] || { cat "$work/board"; exit 1; }

for program; do
    for soc in nano tx2 xavier xavier-nx orin orin-nx orin-nano thor drive-px2 drive-pegasus desktop; do
        run "$soc" "$program" --soc $soc --check off
    done
    run "one board" "$program" --soc orin --check off --shared
    run "a board of another process" "$program" --soc orin --check off --board "$work/socket"
    for seed in 1 2 3; do
        run "seed $seed" "$program" --soc orin --check off --policy seeded --seed $seed
    done
    run "races looked for" "$program" --soc orin --check on
    VTEGRA_COMPILE=on run "compiled kernels" "$program" --soc orin --check off
done
echo "$runs runs, $failed failed"
[ $failed -eq 0 ] && [ $runs -gt 0 ]
