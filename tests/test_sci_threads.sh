#!/bin/sh
# SPDX-License-Identifier: MIT
# Threads that wait for each other's fences end well under every policy, and give one trace for one seed.
# test_sci_threads.sh VTEGRA PROGRAM
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
bad=0
run() {
    out=$("$1" run -q --soc orin --policy $3 --trace "$work/$4" -- "$2") && [ "$out" = "40 steps" ] || {
        echo "--policy $3: $out"
        bad=1
    }
}
run "$1" "$2" eager eager
run "$1" "$2" lazy lazy
run "$1" "$2" "seeded --seed 5" one
run "$1" "$2" "seeded --seed 5" again
run "$1" "$2" "seeded --seed 6" other
cmp "$work/one" "$work/again" || bad=1
cmp -s "$work/one" "$work/other" && echo "seed 6 is seed 5" && bad=1
exit $bad
