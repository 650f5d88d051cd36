#!/bin/sh
# SPDX-License-Identifier: MIT
# Two processes on one board pass frames by NvSci and CUDA: to the end, and with one of them killed and started again at any
# moment. test_sci_two.sh VTEGRA PROGRAM [_long]
vtegra=$1 program=$2
frames=200 kills=5
[ -z "${3:-}" ] || frames=10000 kills=100
work=$(mktemp -d /tmp/vtwXXXXXX) || exit 1
started=
trap 'kill -KILL $started 2>/dev/null; rm -rf "$work"' EXIT
unset VTEGRA_BOARD VTEGRA_SOC VTEGRA_POLICY
echo "INTER_PROCESS cam app 16 4096" >"$work/cfg"
export VTEGRA_NVSCIIPC_CFG="$work/cfg"
bad=0
fail() {
    echo "FAIL: $*"
    bad=1
}

# Both under one run, each policy: the stream waits, and the CPU. After an odd number of frames cam's stream waits last, else its CPU.
for how in "lazy gpu $frames" "lazy cpu 5" "eager cpu $frames"; do
    # shellcheck disable=SC2086
    set -- $how
    out=$(timeout 600 "$vtegra" run --shared --soc orin --policy "$1" --report "$work/report" -- sh -c "'$program' cam $3 & '$program' app $3 $2; wait" 2>"$work/err")
    [ "$out" = "$3 frames, 1 sessions" ] || fail "$how: $out $(cat "$work/err")"
    ! grep -E "error:|warning:" "$work/err" || fail "$how: findings in a correct program"
    grep -q "share the board and run freely" "$work/report" || fail "$how: the report's head: $(cat "$work/report")"
done

# The stream waits for a fence of a process that is killed: CUDA's own error, 702 (cudaErrorLaunchTimeout), and no hang.
cat >"$work/killed" <<'END'
mkfifo "$2/stalls"
"$1" cam 3 stall >"$2/stalls" &
cam=$!
"$1" app 10 gpu &
read -r line <"$2/stalls"
sleep 0.2
kill -KILL $cam
wait
END
out=$(timeout 60 "$vtegra" run -q --shared --soc orin -- sh "$work/killed" "$program" "$work" 2>"$work/err")
[ "$out" = "3 frames, then 702" ] || fail "a stream that waits for a killed process: $out $(cat "$work/err")"

# A board of its own for each: no buffer goes to the other, and the report says what to do.
timeout 60 "$vtegra" run --soc orin -- "$program" cam 10 >/dev/null 2>"$work/cam.err" &
started="$started $!"
timeout 60 "$vtegra" run --soc orin --report "$work/app.err" -- "$program" app 10 cpu >"$work/app.out" 2>&1
[ $? = 3 ] || fail "boards of their own: status $?"
grep -q "vtegra run --shared" "$work/app.err" || fail "boards of their own: $(cat "$work/app.out" "$work/app.err")"

# Two runs with --shared are two machines: whoever waits for the other is told so.
timeout 5 "$vtegra" run -q --shared --soc orin -- "$program" cam 10 >/dev/null 2>"$work/cam.err"
grep -q "NvSciIpc endpoint cam: no process has opened and reset the other end, app, for 2 s. Start both processes under one .vtegra run --shared" "$work/cam.err" ||
    fail "no other end: $(cat "$work/cam.err")"

# A configuration that makes no sense: which line, in the report, and before there is a board that could have one.
echo "INTER_PROCESS cam" >"$work/wrong"
for first in cam init; do
    VTEGRA_NVSCIIPC_CFG="$work/wrong" timeout 60 "$vtegra" run --soc orin -- "$program" $first 1 2>"$work/err" && fail "a wrong configuration, $first: status 0"
    grep -q "NvSciIpcInit returned NvSciError_InvalidState: $work/wrong:1: " "$work/err" || fail "a wrong configuration, $first: $(cat "$work/err")"
done

# cam is killed at moments drawn from a seed.
"$vtegra" board --soc orin --socket "$work/s" 2>"$work/board.err" &
started="$started $!"
for i in $(seq 300); do
    [ -S "$work/s" ] && break
    sleep 0.1
done
mkfifo "$work/hold"
timeout 600 "$vtegra" run -q --soc orin --board "$work/s" -- "$program" app $((frames * 2)) cpu hold >"$work/app.out" 2>"$work/app.err" <"$work/hold" &
app=$!
started="$started $app"
exec 9>"$work/hold"
timeout 60 "$vtegra" run -q --soc orin --board "$work/s" -- "$program" cam 5 || fail "cam, 5 frames: status $?"
sleep 0.3
before=$("$vtegra" board --counts --socket "$work/s")
seed=1
for i in $(seq $kills); do
    "$vtegra" run -q --soc orin --board "$work/s" -- "$program" cam 1000000 >/dev/null 2>"$work/cam.err" &
    cam=$!
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    sleep "0.$((seed / 65536 % 600 + 100))"
    kill -KILL $cam 2>/dev/null || fail "kill $i: cam had ended: $(cat "$work/cam.err")"
    wait $cam 2>/dev/null
done
"$vtegra" run -q --soc orin --board "$work/s" -- "$program" cam 1000000 >/dev/null 2>"$work/cam.err" &
cam=$!
for i in $(seq 3000); do
    grep -q frames "$work/app.out" && break
    kill -0 $app 2>/dev/null || break
    sleep 0.1
done
kill -KILL $cam 2>/dev/null
wait $cam 2>/dev/null
grep -q "^$((frames * 2)) frames" "$work/app.out" || fail "kills: $(cat "$work/app.out" "$work/app.err" "$work/cam.err")"
sleep 0.3
after=$("$vtegra" board --counts --socket "$work/s")
[ "$after" = "$before" ] || fail "left on the board: $after; after a program that was not killed: $before"
exec 9>&-
wait $app || fail "kills: status $?: $(cat "$work/app.err")"
exit $bad
