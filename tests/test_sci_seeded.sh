#!/bin/sh
# SPDX-License-Identifier: MIT
# Two processes under one seed are one run: traces, reports and output are the same bytes each time, and another seed has another
# order. test_sci_seeded.sh VTEGRA PROGRAM [_long]
vtegra=$1 program=$2
seeds="1 2 3" runs=3 hows=cpu frames=5
[ -z "${3:-}" ] || { seeds="1 2 3 4 5 6 7 8" runs=20 hows="cpu gpu both"; }
work=$(mktemp -d /tmp/vtsXXXXXX) || exit 1
trap 'rm -rf "$work"' EXIT
unset VTEGRA_BOARD VTEGRA_SOC VTEGRA_POLICY
mkdir "$work/run"
cd "$work/run" || exit 1
echo "INTER_PROCESS cam app 16 4096" >../cfg
export VTEGRA_NVSCIIPC_CFG="$work/cfg"
bad=0
fail() {
    echo "FAIL: $*"
    bad=1
}

cat >../start <<'END'
VTEGRA_TRACE=cam.trace VTEGRA_REPORT=cam.report "$1" cam $2 &
VTEGRA_TRACE=app.trace VTEGRA_REPORT=app.report "$1" app $2 $3
wait
END
cat >../killed <<'END'
VTEGRA_TRACE=cam.trace "$1" cam 3 stall >stalls &
cam=$!
VTEGRA_TRACE=app.trace VTEGRA_REPORT=app.report "$1" app 10 gpu &
sleep 5
kill -KILL $cam
wait
END

# seeded SEED PROGRAM [ARGUMENTS]: what is left lies in the folder.
seeded() {
    seed=$1
    shift
    rm -f ./*
    timeout 300 "$vtegra" run -q --shared --soc orin --policy seeded --seed "$seed" -- "$@" >out 2>err
    echo "status $?" >>out
}
sum() {
    cat app.trace app.report out "$@" | cksum
}

for how in $hows; do
    : >../sums
    for seed in $seeds; do
        first=
        for run in $(seq $runs); do
            case $how in
            both) seeded "$seed" "$program" both $frames cpu ;;
            *) seeded "$seed" sh ../start "$program" $frames "$how" ;;
            esac
            grep -q "^$frames frames, 1 sessions" out && grep -q "^status 0" out || fail "$how, seed $seed: $(cat out err)"
            ! grep -qv "^established" err || fail "$how, seed $seed: on stderr: $(cat err)"
            now=$(sum cam.trace cam.report)
            [ "${first:-$now}" = "$now" ] || fail "$how, seed $seed: run $run is another than the first"
            first=$now
        done
        echo "$first" >>../sums
        grep -q "take turns as the seed says" cam.report || fail "the report's head: $(cat cam.report)"
        # Not by luck: both have work in the trace.
        grep -q "ce FILL" cam.trace && grep -q "ce COPY" app.trace || fail "$how, seed $seed: the traces: $(wc -l ./*.trace)"
    done
    [ "$(sort -u ../sums | wc -l)" -gt 1 ] || fail "$how: all seeds are one run"
done

# One that is killed by another: the time limit of `sleep` is virtual, so it comes when no process can run.
first=
for run in 1 2; do
    seeded 1 sh ../killed "$program"
    grep -q "^3 frames, then 702" out || fail "cam is killed: $(cat out err)"
    now=$(sum err)
    [ "${first:-$now}" = "$now" ] || fail "cam is killed: run $run is another than the first"
    first=$now
done

# Programs that are started apart have no turn in common.
"$vtegra" board --soc orin --socket "$work/s" 2>../board.err &
board=$!
for i in $(seq 300); do
    [ -S "$work/s" ] && break
    sleep 0.1
done
timeout 60 "$vtegra" run -q --soc orin --policy seeded --board "$work/s" -- "$program" cam 5 >/dev/null 2>&1 &
cam=$!
for i in $(seq 300); do
    "$vtegra" board --counts --socket "$work/s" | grep -q "^1 programs" && break
    sleep 0.1
done
timeout 60 "$vtegra" run -q --soc orin --policy seeded --board "$work/s" -- "$program" app 5 cpu >out 2>err && fail "apart: status 0"
grep -q "those of one .vtegra run --shared. share a board" err || fail "apart: $(cat err)"
kill "$cam" # timeout passes SIGTERM on, and SIGKILL would leave the program
kill -KILL "$board"
wait $cam $board 2>/dev/null
exit $bad
