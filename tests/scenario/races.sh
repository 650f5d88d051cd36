#!/bin/sh
# SPDX-License-Identifier: MIT
# shellcheck disable=SC1091,SC2154
# races.sh BUILD_DIR WORK_DIR [long]: each scenario of a race inside a kernel has its finding at its line under each policy and a
# few seeds, its twin has none, and on boards of the other kind what it says of them.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../e2e/lib.sh"
export XDG_CACHE_HOME="$work/cache"
rm -rf library && mkdir library
for dir in "$here"/../../scenarios/kernel_*; do
    ln -s "$dir" library/
done
tests=$((tests + 1))
[ "$(find library -type l | wc -l)" = 12 ] || fail "$(find library -type l | wc -l) scenarios of races inside kernels, not 12"

# whole NAME OPTIONS...: all of them; what is not as expected is shown
whole() {
    name=$1
    shift
    tests=$((tests + 1))
    "$vtegra" scenario run --all --quiet --dir library "$@" >out 2>&1 || {
        fail "$name"
        grep -v '^ok' out
    }
}
for soc in orin $(some 3 tx2 xavier thor); do
    whole "$soc" --soc "$soc"
    whole "$soc twins" --soc "$soc" --twin --runs 1
done
whole eager --policy eager
for seed in $(some 2 1 2 3 4); do
    whole "seed $seed" --seed "$seed"
    whole "seed $seed twins" --seed "$seed" --twin
done
finish
