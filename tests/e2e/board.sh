#!/bin/sh
# SPDX-License-Identifier: MIT
# The board in a process of its own: the same answers, traces and reports as in the program's; several programs at a time; a
# program or a board that is killed. Usage: board.sh BUILD_DIR WORK_DIR [long]
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
    for i in $(seq 300); do
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
    # In process, memory in use is closed to a program without hooks; with a board of its own it is not, and the head says so.
    sed -i '/^@watched /d' trace.1
    python3 - report.1 report.2 json.1 json.2 <<'END'
import json, re, sys
for name in sys.argv[1:3]:
    text = open(name, errors="surrogateescape").read()
    for line in (r"  CPU accesses .*", r"  not checked   #.*"):
        text = re.sub(line + r"(\n {16}.*)*\n", "", text)
    text = text.replace("none in what was checked", "none").replace("; while in use", "")
    open(name, "w", errors="surrogateescape").write(text)
for name in sys.argv[3:]:
    try:
        report = json.load(open(name))
    except (OSError, ValueError):
        continue
    report.pop("not_checked", None)
    json.dump(report, open(name, "w"), indent=1)
END
    same "$soc $options $*"
}

# launched FILE: the program that writes there has come so far
launched() {
    for i in $(seq 300); do
        grep -q launched "$1" && return
        sleep 0.1
    done
    fail "not launched: $(cat "$1")"
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
# A service of another kind listens there: it stays. The socket of one that has died gives way.
build board_cut "${CC:-cc}" -std=c17 -D_GNU_SOURCE "$source/board_cut.c"
./board_cut stream "$sockets/stream" &
stream=$!
boards="$stream $boards" # the last one is the xavier below
for i in $(seq 300); do
    [ -S "$sockets/stream" ] && break
    sleep 0.1
done
expect "another service" 125 "is the socket of something else" "$vtegra" board --soc tx2 --socket "$sockets/stream"
[ -S "$sockets/stream" ] || fail "another service: its socket is gone"
kill -KILL $stream
wait $stream 2>/dev/null
expect "one that has died" 124 "" timeout -s TERM --foreground 2 "$vtegra" board --soc tx2 --socket "$sockets/stream"
also "one that has died" "at $sockets/stream"
expect "no socket" 2 "--socket PATH" "$vtegra" board --soc tx2
expect "unknown SoC" 2 'unknown SoC "tegra99"' "$vtegra" board --soc tegra99 --socket "$sockets/x"

# --once: the board ends with the first program, not with a question before it.
"$vtegra" board --soc tx2 --once --socket "$sockets/once" 2>"$work/board.once" &
once=$!
for i in $(seq 300); do
    [ -S "$sockets/once" ] && break
    sleep 0.1
done
expect "a board for one program" 0 "sum 12500000.0" timeout 60 "$vtegra" run -q --soc tx2 --board "$sockets/once" ./vadd
wait $once || fail "--once: it ended wrongly"
tests=$((tests + 1))
[ ! -S "$sockets/once" ] || fail "--once: $(cat "$work/board.once")"

# A path that another board has taken since stays the other's.
rm "$sockets/xavier"
first=${boards##* }
board xavier
kill "$first"
wait "$first" 2>/dev/null
tests=$((tests + 1))
[ -S "$sockets/xavier" ] || fail "the socket of a board that began later is gone"
expect "a board that began later" 0 "sum 12500000.0" timeout 60 "$vtegra" run -q --soc xavier --board "$sockets/xavier" ./vadd

# A kernel that never ends: the program is killed, and the board is there for the next.
timeout -s KILL 60 "$vtegra" run -q --soc tx2 --board "$sockets/tx2" -- ./endless >endless.out 2>&1 </dev/null &
launched endless.out
expect "a second program" 0 "sum 12500000.0" timeout 60 "$vtegra" run -q --soc tx2 --board "$sockets/tx2" ./vadd
expect "a second program of another policy" 1 "uses it with --policy lazy, this one wants eager" "$vtegra" run -q --soc tx2 --policy eager --board "$sockets/tx2" ./vadd
expect "a second program, seeded" 1 "under --policy seeded those of one" "$vtegra" run -q --soc tx2 --policy seeded --board "$sockets/tx2" ./vadd
kill -KILL $(pgrep -P $! ) 2>/dev/null || kill -KILL $!
wait $! 2>/dev/null
sleep 1
expect "after a program that was killed" 0 "sum 12500000.0" "$vtegra" run -q --soc tx2 --board "$sockets/tx2" ./vadd

# The board is lost at any moment: one error from then on, one line, no finding, and no wrong data that passed for right.
by_clang board_lost -g "$source/board_lost.cu"
# cut N before|after: the program on a board that is lost at its packet N
cut() {
    rm -f json
    ./board_cut "$sockets/tx2" "$sockets/cut" "$@" >packets &
    relay=$!
    for i in $(seq 300); do
        [ -S "$sockets/cut" ] && break
        sleep 0.05
    done
    timeout 60 "$vtegra" run --soc tx2 --board "$sockets/cut" --json json -- ./board_lost >out 2>err </dev/null
    status=$?
    wait $relay
}
cut 0 before
[ $status = 0 ] || fail "a board in between: status $status: $(cat out err)"
packets=$(cat packets)
tests=$((tests + 2))
[ "$packets" -gt 100 ] || fail "a board in between: only $packets packets"
ends=0
cuts=3
[ "$thorough" != long ] || cuts=10
at=2 # the first is the greeting: without a board there is nothing to lose
while [ $at -le "$packets" ]; do
    for when in before after; do
        cut $at $when
        tests=$((tests + 1))
        if [ $status = 0 ]; then # in what the runtime does at exit
            ends=$((ends + 1))
        elif [ $status != 3 ]; then
            fail "board lost $when packet $at of $packets: status $status: $(cat out err)"
        elif [ "$(grep -c '^vtegra: the board at .* is gone: .*start it again' err)" != 1 ]; then
            fail "board lost $when packet $at: no line, or more: $(cat err)"
        elif ! grep -q '"findings" : \[\]' json || ! grep -q '"failed_calls" : \[\]' json; then
            fail "board lost $when packet $at: a finding: $(cat err)"
        fi
    done
    at=$((at + packets / cuts + 1))
done
[ $ends -le 2 ] || fail "board lost: $ends programs did not see it"

# The board is killed under a program: an error of the API and a line, and it ends.
timeout 60 "$vtegra" run -q --soc xavier --board "$sockets/xavier" -- ./endless >out 2>&1 </dev/null &
program=$!
launched out
# shellcheck disable=SC2086
kill -KILL ${boards##* }
wait $program
status=$?
tests=$((tests + 1))
[ $status = 4 ] || fail "the board was killed: status $status: $(cat out)" # endless.cu, after an error of the API
also "the board was killed" "is gone: it has hung up"
also "the board was killed" "cudaErrorDevicesUnavailable"
finish
