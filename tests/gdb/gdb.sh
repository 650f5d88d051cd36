#!/bin/sh
# SPDX-License-Identifier: MIT
# vtegra gdb: stops at the line of a finding, in the schedule of a seed. Usage: gdb.sh BUILD_DIR PROGRAM SOURCE
vtegra=$1/bin/vtegra
program=$2
line=$(grep -n 'MARK main' "$3" | cut -d: -f1)
other=$(grep -n 'MARK other' "$3" | cut -d: -f1)
command -v gdb >/dev/null || {
    echo "SKIP: there is no gdb (scripts/install-deps.sh)"
    exit 77
}
unset VTEGRA_SOC VTEGRA_POLICY VTEGRA_SEED VTEGRA_SCHEDULE VTEGRA_CHECK
out=$(mktemp) || exit 2
trap 'rm -f "$out"' EXIT
failed=0

# expect NAME STATUS TEXT ARGUMENTS...
expect() {
    name=$1
    want=$2
    text=$3
    shift 3
    timeout 60 "$vtegra" gdb "$@" >"$out" 2>&1 </dev/null
    got=$?
    if [ $got != "$want" ] || ! grep -qE -- "$text" "$out"; then
        echo "FAIL $name: status $got, want $want and \"$text\":"
        cat "$out"
        failed=1
    fi
}

good=
bad=
for seed in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    "$vtegra" run -q --policy seeded --seed $seed -- "$program" >/dev/null 2>&1
    case $? in
    0) good=$seed ;;
    122) bad=$seed ;;
    esac
    [ -n "$good" ] && [ -n "$bad" ] && break
done
[ -n "$good" ] && [ -n "$bad" ] || {
    echo "FAIL: seeds 1 to 20 have no deadlock, or nothing else"
    exit 1
}
# Without a seed the host's scheduler decides, and some of its runs hang in the deadlock as on a board.
expect plain 0 'no deadlock' --batch --seed "$good" --ex run -- "$program"
expect at_rule 0 "hit Breakpoint 1, main \\(\\) at .*locks\\.c:$line|hit Breakpoint 1, other .* at .*locks\\.c:$other" \
    --batch --at deadlock --seed "$bad" --ex continue -- "$program"
# The schedule is the seed's: under gdb, too, the program ends in the deadlock (status 122 is octal 172).
grep -q 'exited with code 0172' "$out" || {
    echo "FAIL at_rule: no deadlock under gdb"
    failed=1
}
expect at_says 0 'finding 1, deadlock: .*locks\.c:[0-9]+.*; gdb stops each time that the program reaches this line' --batch --at 1 --seed "$bad" -- "$program"
expect at_number 0 'hit Breakpoint 1' --batch --at 1 --seed "$bad" -- "$program"
expect no_finding 1 'no finding deadlock in that run: it has [0-9]+\. A seed is the same run only with the same options' --batch --at deadlock --seed "$good" -- "$program"
# A schedule file is the run, too.
"$vtegra" explore --runs 200 --stop --schedule "$out.schedule" -- "$program" >"$out" 2>&1
expect by_schedule 0 'hit Breakpoint 1' --batch --at deadlock --schedule "$out.schedule" --ex continue -- "$program"
grep -q 'exited with code 0172' "$out" || {
    echo "FAIL by_schedule: no deadlock under gdb: $(cat "$out")"
    failed=1
}
expect schedule_and_seed 125 'says what is decided' --batch --schedule "$out.schedule" --seed 1 -- "$program"
rm -f "$out.schedule"
expect no_program 125 'no program given' --batch --
expect not_found 127 '' --at 1 -- ./nowhere
exit $failed
