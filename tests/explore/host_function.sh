#!/bin/sh
# SPDX-License-Identifier: MIT
# A thread waits for what a host function does, in each way there is, and calls nothing of CUDA's meanwhile: it ends under every
# policy, with hooks and without, and no correct program is found at fault. Usage: host_function.sh BUILD_DIR WORK_DIR [long]
. "$(dirname "$0")/lib.sh"

by_clang plain -g -O2 -std=c++20 "$here/host_function.cu" -lpthread
by_clang unoptimised -g -O0 -std=c++20 "$here/host_function.cu" -lpthread
by_clang hooks --track -g -O2 -std=c++20 "$here/host_function.cu" -lpthread
by_clang tail --track -g -O2 "$here/tail_call.cu" -lpthread
by_clang stuck -g -O2 "$here/stuck.cu" -lpthread
by_clang ring -g -O1 "$here/ring.cu" -lpthread
by_clang fault_beside --track -g -O1 "$here/fault_beside.cu" -lpthread
objdump -d tail 2>/dev/null | grep -q 'jmp .*<sem_post' || echo "NOTE: the compiler made no jump of the last call"

# What stands until its time is over stands beside the rest. begin NAME COMMAND...: sh -c "$ended" NAME is its end
begin() {
    run=$1
    shift
    { "$@" >"$run.out" 2>&1 </dev/null; echo $? >"$run.status"; } &
}
ended='cat "$0.out"; exit "$(cat "$0.status")"'
for policy in lazy eager; do
    begin stuck_$policy timeout -k 5 25 "$vtegra" run --policy $policy -- ./stuck
    begin ring_$policy timeout -k 5 20 "$vtegra" run --policy $policy -- ./ring two
done
begin ring_host timeout -k 5 40 "$vtegra" run --policy lazy -- ./ring host

# the report of a fault takes no lock that another thread has
for n in 1 2 3; do
    expect "fault_beside $n" 139 "managed-active-touch" timeout 60 "$vtegra" run --soc orin --json beside.json -- ./fault_beside
    python3 -c 'import json; json.load(open("beside.json"))' || fail "fault_beside $n: no whole JSON"
done

# limit: only for what hangs
ways=$(sed -n 's/^ *WAY("\([a-z_0-9]*\)").*/\1/p' "$here/host_function.cu")
[ "$(echo "$ways" | wc -l)" -ge 36 ] || fail "ways are missing"
number=0
# shellcheck disable=SC2086 # words
for way in $(some 4 $ways); do
    [ $way != spin_counting ] || continue # below
    number=$((number + 1))
    set -- "plain lazy" "plain eager" "hooks seeded"
    [ $((number % 3)) != 0 ] || set -- "$@" "plain seeded" "hooks lazy" "unoptimised lazy"
    for run in "$@"; do
        expect "$way $run" 0 "$way: 0" timeout 60 "$vtegra" run -q --policy "${run#* }" -- "./${run% *}" "$way"
    done
done

# A loop that counts shows itself by hooks, or by ten seconds of CPU time.
expect "spin_counting hooks" 0 "spin_counting: 0" timeout 60 "$vtegra" run -q -- ./hooks spin_counting
expect "spin_counting plain" 0 "host-timed" timeout 110 "$vtegra" run -- ./plain spin_counting

# --- one trace: what wakes the thread is not the end of the host function, and nobody's clock may show. By hooks also where a
# loop counts, or looks at a clock.
for policy in lazy seeded; do
    for way in $(some 4 sem cond cond_timed read poll barrier callback cpp atomic_wait futex usleep yield spin spin_counting spin_clock two_streams many); do
        for n in 1 2; do
            rm -f trace.$n
            expect "$way $policy, run $n" 0 "" timeout 60 "$vtegra" run -q --policy $policy --check on --trace trace.$n -- ./hooks $way
            not_there "$way $policy" "rule race"
            cmp -s trace.1 trace.$n || fail "$way $policy: run $n has another trace than run 1"
        done
    done
done
rm -f trace.*

# --- a moment that this computer's speed chose is told, and only then
expect host_timed 0 "host-timed" "$vtegra" run -- ./plain spin_clock
expect not_timed 0 "" "$vtegra" run -- ./plain spin
not_there not_timed "host-timed"

# --- without the scheduler (a program started by hand) nobody counts turns of loops: time ends them
for way in sem usleep; do
    expect "$way by hand" 0 "$way: 0" env LD_LIBRARY_PATH="$lib" timeout 60 ./plain $way
done
also "usleep by hand" "host-timed"

# --- the last call of a function is a jump: nothing may be found
for way in $(some 3 post callback signal unlock unlock_rw unlock_spin thread once c11); do
    for policy in lazy eager seeded; do
        expect "tail call: $way $policy" 0 7 timeout 60 "$vtegra" run --policy $policy --check on -- ./tail $way
        also "tail call: $way $policy" "Findings none Advice"
    done
done

wait
# --- nothing can happen any more: said while it stands (and it still stands then), or the end of the run
for policy in lazy eager; do
    expect "stuck $policy" 124 "nothing will write" sh -c "$ended" stuck_$policy
    also "stuck $policy" "thread 0 waits for semaphore at explore/stuck.cu"
    also "stuck $policy" "runs a kernel that spins"
done
# --- threads that wait for each other's mutexes: told where they run freely, too, and only those
for policy in lazy eager; do
    expect "ring $policy" 124 "which thread 0 holds" sh -c "$ended" ring_$policy
    also "ring $policy" "rule deadlock"
    for way in timed behind order again; do
        expect "ring $way $policy" 0 "ended: 0" timeout 60 "$vtegra" run --policy $policy -- ./ring $way
        not_there "ring $way $policy" "deadlock"
    done
done
# one of them runs a host function, and the other waits for its stream
at=$(grep -n "MARK waits_with_lock" "$here/ring.cu" | cut -d: -f1)
expect "ring host lazy" 122 "waits at explore/ring.cu:$at in in_host_function for work of the board," sh -c "$ended" ring_host
also "ring host lazy" "for work of the board, which waits for a host function"
also "ring host lazy" "in a host function, waits for mutex at explore/ring.cu"
also "ring host lazy" "which thread 0 holds"
also "ring host lazy" "rule deadlock"
for seed in 1 2 3; do
    expect "ring host seeded $seed" 122 "thread 0 waits for work of the board at explore/ring.cu:$at in in_host_function" \
        "$vtegra" run --policy seeded --seed $seed -- ./ring host
    also "ring host seeded $seed" "in a host function, waits for mutex"
    also "ring host seeded $seed" "which thread 0 has held since explore/ring.cu:$((at - 2)) in in_host_function"
    also "ring host seeded $seed" "do not wait for a stream while holding a lock that its host function takes"
done
expect "ring seeded" 122 "which thread 0 has held since" "$vtegra" run --policy seeded -- ./ring two
expect "stuck seeded" 122 "thread 0 waits for semaphore" "$vtegra" run --policy seeded -- ./stuck
finish
