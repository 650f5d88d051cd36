#!/bin/sh
# SPDX-License-Identifier: MIT
# silent.sh BUILD_DIR WORK_DIR [all]: the checker finds nothing in the correct programs of the test suite, with hooks and
# without, whatever board, policy and seed. What is wrong on purpose is in tests/misuse and scenarios/.
. "$(dirname "$0")/lib.sh"
hybrid=$source/../../scenarios/cudla_hybrid
by_clang vadd.hooks --track -g "$source/vadd.cu"
by_clang features.hooks --track -g -DNO_MANAGED_VARIABLES "$source/features.cu"
by_clang hybrid.hooks --track -g "$hybrid/hybrid.cu" -lcudla
is_newest network.loadable "$hybrid/network.json" "$vtegra" ||
    "$vtegra" dla build "$hybrid/network.json" -o network.loadable || exit 2

# silent "OPTIONS" PROGRAM...: no race, no stale byte, no lost update
silent() {
    options=$1
    shift
    tests=$((tests + 1))
    rm -f report
    # shellcheck disable=SC2086
    timeout 300 "$vtegra" run -q --check on --report report $options -- "$@" >out 2>&1 </dev/null
    got=$?
    if [ $got != 0 ] || [ ! -s report ]; then
        fail "$*: status $got with $options"
        tail -5 out
    elif grep -qE "rule +(race|stale-|lost-)" report; then
        fail "$*: found with $options:"
        grep -B12 -E "rule +(race|stale-|lost-)" report | head -40
    fi
}

if [ -z "$3" ]; then
    silent "--soc orin --policy lazy" ./vadd.hooks
    silent "--soc orin --policy lazy" ./features.hooks
    silent "--soc tx2 --policy eager" ./features.hooks
    silent "--soc xavier --policy seeded --seed 1" ./vadd.hooks
    silent "--soc xavier --policy seeded --seed 1" ./hybrid.hooks network.loadable
    silent "--soc orin --policy lazy" ./hybrid.hooks network.loadable
    finish
fi

by_clang features -DNO_MANAGED_VARIABLES "$source/features.cu"
by_clang grid_sync.hooks --track -g "$source/grid_sync.cu"
by_clang work.hooks --track -g "$source/../api/cudart_work.cu"
by_clang cuda_vadd.hooks --track -g "$source/../api/cuda_vadd.c" -lcuda
seeds=
for seed in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    seeds="$seeds seeded,--seed,$seed"
done
for soc in xavier orin tx2; do
    for policy in lazy eager $seeds; do
        options="--soc $soc --policy $(echo "$policy" | tr , ' ')"
        for program in vadd.hooks features.hooks features grid_sync.hooks work.hooks cuda_vadd.hooks; do
            silent "$options" ./$program
        done
        [ $soc = tx2 ] || silent "$options" ./hybrid.hooks network.loadable
    done
done
finish
