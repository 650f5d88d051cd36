#!/bin/sh
# SPDX-License-Identifier: MIT
# unhooked.sh BUILD_DIR WORK_DIR: programs without compiler hooks. What the CPU does to pinned memory that work on its way may touch
# is found at its line, and whatever it does has its right result.
. "$(dirname "$0")/lib.sh"
pages_are_closed
by_clang unhooked -g -O1 -fno-inline "$source/unhooked.cu"
right="widths flags atomics strings crossing vectors calls timer own_handler own_protection small_stack children threads machine_code traps system_calls instructions
functions masked uring forks reached"

# line MARK: of the program
line() {
    grep -n "// $1\$" "$source/unhooked.cu" | cut -d: -f1
}
# found NAME MARK KIND: the race is reported once, at its line
found() {
    for policy in lazy eager; do
        expect "$1_$policy" 0 "" "$vtegra" run --soc orin --policy $policy --report report -- ./unhooked "$1"
        tests=$((tests + 1))
        grep -qE "error: Race: ($3 by the CPU and write by kernel|write by kernel.* and $3 by the CPU)" report || fail "$1 $policy: no race"
        grep -q "where .*unhooked.cu:$(line "$2") in" report || fail "$1 $policy: not at line $(line "$2")"
    done
}
found race RACE read
found race_struct STRUCT read
found race_call CALL read
found race_copy COPY read
found race_variable VARIABLE read
found race_table TABLE read
found race_opened OPENED read
tests=$((tests + 1))
! grep -q "whether the CPU waits" report || fail "pinned memory is said not to be checked"

# a buffer of NvSciBuf, which the GPU has a mapping of its own of
fence=sci_fence_not_waited
signal=$(grep -n SignalExternalSemaphores "$source/../../scenarios/$fence/$fence.cu" | cut -d: -f1)
by_clang $fence -g -O1 -fno-inline "$source/../../scenarios/$fence/$fence.cu" -lnvscisync -lnvscibuf -lnvsciipc
for policy in lazy eager; do
    wrong=$([ $policy = eager ] || echo 1) # the sum, where the kernel runs late
    expect "sci $policy" "${wrong:-0}" "" "$vtegra" run --soc orin --policy $policy --report report -- ./$fence
    also "sci $policy" "$fence.cu:$(grep -n 'found here' "$source/../../scenarios/$fence/$fence.cu" | cut -d: -f1) in"
    tests=$((tests + 1))
    tr -s ' \n' ' ' <report | grep -q "fence that is signalled behind the work at [^ ]*$fence.cu:$signal in main" ||
        fail "sci $policy: the signal is not named"
    expect "sci waits $policy" 0 "" "$vtegra" run --soc orin --policy $policy --report report -- ./$fence fixed
    not_there "sci waits $policy" "Race:"
done

# a host function stores late what the program has read without waiting for it; its pages open where nothing was touched
function=callback_thread
by_clang $function -g -O1 -fno-inline "$source/../../scenarios/$function/$function.cu"
expect function 1 "" "$vtegra" run --soc orin --policy lazy -- ./$function
also function "error: Race: read by the CPU and write by CPU thread"
also function "$function.cu:$(grep -n 'found here' "$source/../../scenarios/$function/$function.cu" | head -n 1 | cut -d: -f1) in fill"
for policy in lazy eager "seeded --seed 1"; do
    # shellcheck disable=SC2086 # words
    expect "function waits $policy" 0 7 "$vtegra" run --soc orin --policy $policy -- ./$function fixed
    not_there "function waits $policy" "Race:"
done
# where pinned memory is not cached, too
expect "function_struct tx2" 0 right "$vtegra" run --soc tx2 -- ./unhooked function_struct
also "function_struct tx2" "unhooked.cu:$(line FUNCTION) in function_struct"
for program in function_polls function_struct function_apart; do
    expect "$program" 0 right "$vtegra" run --soc orin -- ./unhooked $program
    case $program in
    function_struct) also "$program" "unhooked.cu:$(line FUNCTION) in function_struct" ;;
    *) not_there "$program" "Race:" ;;
    esac
done

# stale NAME SOC RULE LIBRARY...: after the wait, too, an access is seen where the L2 holds a line, or memory is not cached
stale() {
    name=$1 board=$2 rule=$3
    shift 3
    text=$source/../../scenarios/$name/$name.cu
    by_clang "$name" -g -O1 -fno-inline "$text" "$@"
    for policy in lazy eager "seeded --seed 1"; do
        # shellcheck disable=SC2086 # words
        "$vtegra" run -q --soc "$board" --policy $policy --json stale.json -- ./"$name" >out 2>&1
        tests=$((tests + 2))
        python3 - stale.json "$rule" "$(grep -n 'found here' "$text" | cut -d: -f1 | tr '\n' ' ')" <<'END' || fail "$name $policy: no $rule"
import json, re, sys
found = [f for f in json.load(open(sys.argv[1]))["findings"] if f["rule"] in sys.argv[2].split()]
lines = [re.search(r"cu:(\d+)", f["where"]).group(1) for f in found]
sys.exit(not lines or not set(lines) <= set(sys.argv[3].split()))
END
        # shellcheck disable=SC2086 # words
        "$vtegra" run --soc "$board" --policy $policy --report report -- ./"$name" fixed >out 2>&1 || fail "$name fixed $policy: ends with $?"
        ! grep -qE "^  [0-9]+\. (error|warning):|^  not checked   #" report || fail "$name fixed $policy: a finding"
    done
}
stale sci_skip_signal orin stale-l2-clean-missing -lnvscisync -lnvscibuf -lnvsciipc
stale sci_skip_wait orin stale-l2-invalidate-missing -lnvscisync -lnvscibuf -lnvsciipc
stale poll_cached_flag orin stale-l2-clean-missing
# a loop that waits lets the work go on that it waits for, as with hooks
tests=$((tests + 1))
"$vtegra" run --soc orin --report report -- ./poll_cached_flag >out 2>&1
grep -q "where .*poll_cached_flag.cu:$(grep -n 'found here' "$source/../../scenarios/poll_cached_flag/poll_cached_flag.cu" | head -1 | cut -d: -f1) in" report ||
    fail "poll_cached_flag: nothing in the loop"
stale attach_other_stream orin stale-l2-clean-missing
stale cpu_atomics_pinned tx2 uncached-atomic

# Surfaces whose CPU caches the program maintains: stores that the VIC and the iGPU do not see, loads of what they wrote.
# surface NAME RULE LINE LIBRARY...: LINE: text of the line in nvbuf.h
surface() {
    name=$1 rule=$2
    at="nvbuf.h:$(grep -nF "$3" "$source/../../scenarios/nvbuf/nvbuf.h" | cut -d: -f1) in"
    shift 3
    by_clang "$name" -g -O1 -fno-inline "$source/../../scenarios/$name/$name.cu" "$@"
    for policy in lazy eager "seeded --seed 1"; do
        # shellcheck disable=SC2086 # words
        "$vtegra" run --soc tx2 --policy $policy --report report -- ./"$name" >out 2>&1
        tests=$((tests + 3))
        [ "$(grep -cE "^  [0-9]+\. (error|warning):" report)" = 1 ] || fail "$name $policy: not one finding"
        grep -q "where .*$at" report && grep -q "rule  *$rule (" report || fail "$name $policy: no $rule at $at"
        # shellcheck disable=SC2086 # words
        "$vtegra" run --soc tx2 --policy $policy --report report -- ./"$name" fixed >out 2>&1 || fail "$name fixed $policy: ends with $?"
        ! grep -qE "^  [0-9]+\. (error|warning):|^  not checked   #" report || fail "$name fixed $policy: a finding"
    done
}
surface nvbuf_cuda_no_sync stale-cpu-clean-missing "memset(plane" -lnvbufsurface -lcuda
surface nvbuf_no_sync_for_device stale-cpu-clean-missing "memset(plane" -lnvbufsurftransform -lnvbufsurface
surface nvbuf_no_sync_for_cpu stale-cpu-invalidate-missing "+ x] != value;" -lnvbufsurftransform -lnvbufsurface
surface nvbuf_wrong_plane stale-cpu-invalidate-missing "+ x] != value;" -lnvbufsurftransform -lnvbufsurface

# a surface that the camera writes past the CPU's caches (V4L2_MEMORY_DMABUF)
export VTEGRA_CAMERA=pattern:64x64@30
for board in xavier orin; do
    stale camera_surface_unsynced $board stale-cpu-invalidate-missing -lnvbufsurface
done
unset VTEGRA_CAMERA

# managed memory: opened by an attachment before the kernel was waited for; on Thor, where it is as pinned memory
stale attach_host_not_waited orin "race managed-active-touch"
for name in attach_host_not_waited managed_read_running single_attached_touched; do
    stale $name thor race
done

for soc in orin tx2; do
    for what in $right; do
        for policy in lazy eager "seeded --seed 1" "seeded --seed 2"; do
            in_turn 2 || [ "$policy" = lazy ] || continue
            rm -f report
            # shellcheck disable=SC2086 # words
            expect "$what $soc $policy" 0 right "$vtegra" run --soc $soc --policy $policy --report report -- ./unhooked "$what"
            tests=$((tests + 1))
            # The TX2 does not cache pinned memory, and its CPU has no atomic operations there: that is found, too.
            ! grep -E "^  [0-9]+\. (error|warning):" report | grep -v "error: Atomic operation of the CPU" || {
                fail "$what $soc $policy: a finding"
                sed -n '/^Findings/,/^$/p' report
            }
        done
    done
done
# The same in memory of the program's own that it has registered.
export REGISTERED=1
for what in $right; do
    for policy in lazy "seeded --seed 1"; do
        in_turn 2 || [ "$policy" = lazy ] || continue
        # shellcheck disable=SC2086 # words
        expect "$what registered $policy" 0 right "$vtegra" run --soc orin --policy $policy --report report -- ./unhooked "$what"
        tests=$((tests + 1))
        ! grep -E "^  [0-9]+\. (error|warning):" report || fail "$what registered $policy: a finding"
    done
done
for policy in lazy eager; do
    expect "race registered $policy" 0 "" "$vtegra" run --soc orin --policy $policy --report report -- ./unhooked race
    also "race registered $policy" "unhooked.cu:$(line RACE) in"
done
unset REGISTERED
by_clang unhooked_registered -g -O1 -fno-inline "$source/unhooked_registered.cu"
for what in edges race_static kept huge forked replaced stores on_stack shared; do
    for policy in lazy eager "seeded --seed 1"; do
        case "$what $policy" in stores*seed*) continue ;; esac # it spins
        # shellcheck disable=SC2086 # words
        expect "registered $what $policy" 0 right "$vtegra" run --soc orin --policy $policy --report report -- ./unhooked_registered "$what"
        tests=$((tests + 1))
        case $what in
        race_static) grep -q "where .*unhooked_registered.cu:$(grep -n '// STATIC$' "$source/unhooked_registered.cu" | cut -d: -f1) in" report ;;
        edges) grep -q "not checked   #1 .*" report && tr -s ' \n' ' ' <report | grep -q "first and last bytes" ;;
        forked) ! grep -qE "^  [0-9]+\. (error|warning):" report && tr -s ' \n' ' ' <report | grep -q "not checked #1 .* a child of fork() at" ;;
        on_stack | shared) tr -s ' \n' ' ' <report | grep -q "not checked #1 .* whether the CPU waits" ;;
        *) ! grep -qE "^  [0-9]+\. (error|warning):|^  not checked   #" report ;;
        esac || fail "registered $what $policy: the report is wrong"
    done
done

tests=$((tests + 1))
"$vtegra" run --soc tx2 --report report -- ./unhooked atomics >out 2>&1
grep -q "where .*unhooked.cu:$(grep -n 'fetch_add' "$source/unhooked.cu" | cut -d: -f1) in" report || fail "atomics of the TX2"
# Under gdb accesses are found as without it; under valgrind memory stays open, and the report says what was not checked.
if command -v gdb >/dev/null; then
    expect "gdb widths" 0 right "$vtegra" gdb --batch --soc orin --ex run -- ./unhooked widths
    also "gdb widths" "exited normally"
    not_there "gdb widths" "error:"
    expect "gdb race" 0 "Race: " "$vtegra" gdb --batch --soc orin --ex "break 'race()'" --ex run --ex continue -- ./unhooked race
    also "gdb race" "Breakpoint 1, race"
    also "gdb race" "unhooked.cu:$(line RACE) in"
fi
if command -v valgrind >/dev/null; then
    for what in widths atomics race; do
        expect "valgrind $what" 0 "right" "$vtegra" run --soc orin -- valgrind -q ./unhooked "$what"
        also "valgrind $what" "not checked #1"
        not_there "valgrind $what" "error:"
    done
fi
# A ring's reads and writes are the kernel's, at any time: memory stays open, and the report says so.
"$vtegra" run --soc orin --report report -- ./unhooked uring >out 2>&1
tests=$((tests + 1))
grep -q "no io_uring here" out || grep -q "NOT CHECKED.*io_uring" report || fail "a ring: the report does not say that memory stays open"
finish
