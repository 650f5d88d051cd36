#!/bin/sh
# SPDX-License-Identifier: MIT
# The board in a process of its own: the same answers, traces and reports as in the program's; one program at a time; a
# program or a board that is killed. Usage: board.sh BUILD_DIR WORK_DIR
. "$(dirname "$0")/lib.sh"
unset VTEGRA_BOARD
by_clang vadd -g "$source/vadd.cu"
by_clang features -g -DNO_MANAGED_VARIABLES "$source/features.cu"
by_clang bad -g "$source/bad.cu" -lcuda
by_clang endless -g "$source/endless.cu"
sockets=$(mktemp -d /tmp/vtbXXXXXX) # a socket's path is short
boards=
trap 'kill $boards 2>/dev/null; rm -rf "$sockets"' EXIT

# board SOC: one at $sockets/SOC
board() {
    "$vtegra" board --soc "$1" --socket "$sockets/$1" 2>"$work/board.$1" &
    boards="$boards $!"
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        [ -S "$sockets/$1" ] && return
        sleep 0.1
    done
    fail "no board: $(cat "$work/board.$1")"
}

same() {
    for what in status out trace report json; do
        tests=$((tests + 1))
        cmp -s "$what.1" "$what.2" || fail "$1: $what differs: $(diff "$what.1" "$what.2" | head -4)"
    done
}

# both SOC "OPTIONS" PROGRAM...: in process, and on the board
both() {
    soc=$1 options=$2
    shift 2
    for n in 1 2; do
        rm -f trace.$n report.$n json.$n
        # shellcheck disable=SC2046,SC2086
        timeout 60 "$vtegra" run -q --soc $soc $options $([ $n = 1 ] || echo --board "$sockets/$soc") --trace trace.$n \
            --report report.$n --json json.$n -- "$@" >out.$n 2>/dev/null </dev/null
        echo $? >status.$n
    done
    same "$soc $options $*"
}

board tx2
board xavier
both tx2 "" ./vadd
both xavier "--policy eager" ./vadd
both tx2 "--policy seeded --seed 7 --evict seeded" ./vadd
both tx2 "" ./features
both tx2 "--policy seeded --seed 3 --evict seeded" ./features
both tx2 "" ./bad out_of_bounds
both tx2 "" ./bad touch_managed

expect "another SoC" 1 "this board is tx2, the program wants orin" "$vtegra" run -q --soc orin --board "$sockets/tx2" ./vadd
expect "no board" 125 "start it first: vtegra board" "$vtegra" run -q --soc tx2 --board "$sockets/none" ./vadd
expect "a second board there" 125 "a board runs at" "$vtegra" board --soc tx2 --socket "$sockets/tx2"
expect "no socket" 2 "--socket PATH" "$vtegra" board --soc tx2
expect "unknown SoC" 2 'unknown SoC "tegra99"' "$vtegra" board --soc tegra99 --socket "$sockets/x"

# --once: the board ends with the first program, not with a question before it.
"$vtegra" board --soc tx2 --once --socket "$sockets/once" 2>"$work/board.once" &
once=$!
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    [ -S "$sockets/once" ] && break
    sleep 0.1
done
expect "a board for one program" 0 "sum 12500000.0" timeout 60 "$vtegra" run -q --soc tx2 --board "$sockets/once" ./vadd
wait $once || fail "--once: it ended wrongly"
tests=$((tests + 1))
[ ! -S "$sockets/once" ] || fail "--once: $(cat "$work/board.once")"

# A kernel that never ends: the program is killed, and the board is there for the next.
timeout -s KILL 60 "$vtegra" run -q --soc tx2 --board "$sockets/tx2" -- ./endless >out 2>&1 </dev/null &
sleep 1
expect "a second program" 1 "another program uses it" "$vtegra" run -q --soc tx2 --board "$sockets/tx2" ./vadd
kill -KILL $(pgrep -P $! ) 2>/dev/null || kill -KILL $!
wait $! 2>/dev/null
sleep 1
expect "after a program that was killed" 0 "sum 12500000.0" "$vtegra" run -q --soc tx2 --board "$sockets/tx2" ./vadd

# The board is killed under a program: an error of the API and a line, and it ends.
timeout 60 "$vtegra" run -q --soc xavier --board "$sockets/xavier" -- ./endless >out 2>&1 </dev/null &
program=$!
sleep 1
# shellcheck disable=SC2086
kill -KILL ${boards##* }
wait $program
status=$?
tests=$((tests + 1))
[ $status = 4 ] || fail "the board was killed: status $status: $(cat out)" # endless.cu, after an error of the API
also "the board was killed" "is gone"
finish
