#!/bin/sh
# SPDX-License-Identifier: MIT
# Real programs with threads under every schedule: nothing hangs, the result is what it is without us; and one seed is
# one schedule, but where the world outside has a say (docs/reproduce.md). Usage: hostile.sh BUILD_DIR WORK_DIR [long]
. "$(dirname "$0")/lib.sh"
unset GOMP_SPINCOUNT OMP_WAIT_POLICY
seeds="1 2 3"
[ "$3" = long ] && seeds=$(seq 30)
build hostile cc -g -O1 "$here/hostile.c" -lpthread
build calls cc -D_GNU_SOURCE -g -O1 "$here"/calls*.c -lpthread
build outside cc -D_GNU_SOURCE -g -O1 "$here/outside.c" -lpthread
build threads cc -g -O1 "$here/threads.c" -lpthread
build plugin.so cc -w -g -O1 -shared -fPIC -DPLUGIN "$here/hostile.c" -lpthread
build cxx c++ -g -O1 -std=c++17 "$here/cxx.cpp" -lpthread
build cxx20 c++ -g -O1 -std=c++20 "$here/cxx20.cpp" -lpthread
programs="./hostile_c11 ./hostile_many ./hostile_kills ./cxx ./cxx20"
if echo 'int main(void) { return 0; }' | cc -fopenmp -x c - -o has_openmp 2>/dev/null; then
    build openmp cc -g -O1 -fopenmp "$here/openmp.c"
    programs="$programs ./openmp"
else
    echo "SKIP: no OpenMP"
fi

# once SEED FILE PROGRAM...
once() {
    seed=$1 file=$2
    shift 2
    rm -f "$file"
    expect "$*, seed $seed" 0 "" timeout 30 "$vtegra" run -q --policy seeded --seed "$seed" --schedule "$file" -- "$@"
}

for program in $programs; do
    case $program in
    ./hostile_*) set -- ./hostile "${program#./hostile_}" ;;
    *) set -- "$program" ;;
    esac
    for seed in $seeds; do
        once "$seed" first "$@"
        once "$seed" second "$@"
        tests=$((tests + 1))
        cmp -s first second || fail "$*: two schedules of seed $seed"
    done
done
for seed in $seeds; do
    once "$seed" first ./threads much
done
for part in stdio signals processes libraries alarm flock; do
    for seed in $seeds; do
        once "$seed" first ./hostile $part
    done
done
for way in raw_yield children joins_in_a_loop destructors last_destructors cancels_before_the_wait cancels_at_once c11_yield child_for_one main_ends main_is_joined robust_owner_ends robust_is_lost; do # the others: sched/rules.txt
    for seed in $seeds; do
        once "$seed" first ./calls $way
    done
done
for seed in $seeds; do # of who asks when nobody else can go on
    once "$seed" first ./calls child_ends_now
    once "$seed" second ./calls child_ends_late
    tests=$((tests + 1))
    sed '/^argument /d' first >first.plain && sed '/^argument /d' second >second.plain
    cmp -s first.plain second.plain || fail "a child that ends: two schedules of seed $seed"
done
once 1 first ./threads counts # ten seconds
for way in timer_posts timer_thread timer_thread_late child_ends child_kills input_signals loop_for_child loop_for_timer loop_for_inputs; do # sched/rules.txt
    once 1 first ./outside $way
done
expect explored 0 "20 runs, 0 failed" "$vtegra" explore --runs 20 -- ./hostile c11
if [ -x ./openmp ]; then # a copy of the process has to catch libgomp's system calls as the first did
    expect explored_openmp 0 "10 runs, 0 failed" "$vtegra" explore --runs 10 --timeout 10 -- ./openmp
fi
finish
