#!/bin/sh
# SPDX-License-Identifier: MIT
# Processes of one run take turns, also those that never call CUDA. processes.sh VTEGRA PROGRAM
vtegra=$1 program=$2
work=$(mktemp -d /tmp/vtpXXXXXX) || exit 1
trap 'rm -rf "$work"' EXIT
unset VTEGRA_BOARD VTEGRA_SOC VTEGRA_POLICY
bad=0
fail() {
    echo "FAIL: $*"
    bad=1
}
# seeded SEED COMMAND...
seeded() {
    seed=$1
    shift
    timeout 120 "$vtegra" run -q --shared --policy seeded --seed "$seed" -- "$@" 2>"$work/err"
}
# is WHAT EXPECTED COMMAND...: under two seeds
is() {
    what=$1 expected=$2
    shift 2
    for s in 1 2; do
        out=$(seeded $s "$@" && echo "status $?" || echo "status $?")
        [ "$out" = "$expected" ] || fail "$what, seed $s: $out; $(cat "$work/err")"
        [ -s "$work/err" ] && fail "$what, seed $s: $(cat "$work/err")"
    done
}

# 1000 increments modulo 256.
is "a byte by two pipes" "232 7
status 0" "$program" pipes
is "a loop without calls on shared memory" "0
status 0" "$program" spin
is "a child that aborts" "6
status 0" "$program" crash
is "system()" "3
status 0" "$program" shell
is "children of posix_spawn()" "0
status 0" "$program" spawn
is "a shell's pipe and substitution" "three 2
status 5" sh -c 'n=$(printf "a\nb\n" | { read -r a; read -r b; echo 2; }); echo three $n; exit 5'
# An hour takes no time: this ends before the time limit.
is "sleeps by their length" "one
two
status 0" sh -c '(sleep 7200; echo two) & (sleep 3600; echo one) & wait'
is "a killed process" "137
status 0" sh -c 'sleep 3600 & p=$!; kill -KILL $p; wait $p; echo $?'

# A deadlock of one process is reported, and the others of the run continue.
out=$(seeded 1 sh -c '"$1" mutex & sleep 3600; wait $!; echo $?' sh "$program")
[ "$out" = 122 ] || fail "a deadlock beside a process that sleeps: $out"
grep -q "deadlock: thread 0 waits for mutex 1" "$work/err" || fail "a deadlock: $(cat "$work/err")"

# What the order decides: the same for one seed, and not for all.
: >"$work/orders"
for s in 1 2 3 4 5 6 7 8; do
    for run in 1 2 3; do
        now="$(seeded $s "$program" lost) $(seeded $s sh -c '(for i in 1 2 3 4 5 6; do echo a$i; done) & (for i in 1 2 3 4 5 6; do echo b$i; done) & wait' | tr '\n' ' ')"
        [ $run = 1 ] || [ "$now" = "$first" ] || fail "seed $s: $now; before: $first"
        first=$now
    done
    echo "$first" >>"$work/orders"
done
[ "$(sort -u "$work/orders" | wc -l)" -ge 4 ] || fail "few orders: $(cat "$work/orders")"
grep -q "^0 0 40 " "$work/orders" && [ "$(grep -c "^0 0 40 " "$work/orders")" = 8 ] && fail "no increment is lost: $(cat "$work/orders")"

# A process that cannot have the turn is refused: its descriptor is closed, also in its parent.
if bash --version >/dev/null 2>&1; then
    out=$(seeded 1 bash -c 'exec 100>&-; sh -c "echo runs"; echo $?')
    [ "$out" = 125 ] || fail "without the descriptor: $out"
    grep -q "does not have the run's turn" "$work/err" || fail "without the descriptor: $(cat "$work/err")"
fi
exit $bad
