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
[ "$(find library -type l | wc -l)" = 13 ] || fail "$(find library -type l | wc -l) scenarios of races inside kernels, not 13"

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

# cure NAME TEXT: what the finding says to do; %MARK is the number of the first marked line, %LAST of the last
cure() {
    marks=$(grep -n "found here" "$here/../../scenarios/$1/$1.cu" | cut -d: -f1)
    text=$(echo "$2" | sed "s|%MARK|$1/$1.cu:$(echo "$marks" | head -n 1)|g; s|%LAST|$1/$1.cu:$(echo "$marks" | tail -n 1)|g")
    expect "$1" 0 "" "$vtegra" scenario run "$1" --dir library
    also "$1" "$text"
}
cure kernel_missing_barrier "Call __syncthreads() between %MARK and %LAST"
cure kernel_buffer_reused "Call __syncthreads() behind %LAST, before %MARK of the loop's next turn"
cure kernel_warp_synchronous "Call __syncwarp() between %MARK and %LAST"
cure kernel_flag_no_fence "Call __threadfence() behind %MARK, before the store"
cure kernel_last_block "Call __threadfence() before %LAST, behind the load or atomic operation that observes"
cure kernel_scope_too_small "Give %MARK the scope of the device instead of the block's"
cure kernel_atomic_plain "Make the access at %LAST atomic, too"
cure kernel_async_copy "wait for the copy before %LAST (__pipeline_wait_prior()"
# its line is that of the call, not one of our header's
call=$(grep -n pipeline_memcpy_async "$here/../../scenarios/kernel_async_copy/kernel_async_copy.cu" | head -n 1 | cut -d: -f1)
also kernel_async_copy "asynchronous copy at kernel_async_copy/kernel_async_copy.cu:$call"
cure kernel_stencil_in_place "or two kernels, between %MARK and %LAST"

expect kernel_cluster_not_synced 0 "" "$vtegra" scenario run kernel_cluster_not_synced --soc thor --dir library
marks=$(grep -n "found here" "$here/../../scenarios/kernel_cluster_not_synced/kernel_cluster_not_synced.cu" | cut -d: -f1 | tr '\n' ' ')
# shellcheck disable=SC2086 # two numbers
set -- $marks
also kernel_cluster_not_synced "Call cluster.sync() (barrier.cluster) between kernel_cluster_not_synced/kernel_cluster_not_synced.cu:$1 and kernel_cluster_not_synced/kernel_cluster_not_synced.cu:$2"

# litmus NAME BUG TWIN: what the scenario's two blocks do, as a litmus test, has the outcome that the finding warns of; the twin
# has not. (Of threads of one block litmus tests know nothing: their memory is one.)
litmus() {
    tests=$((tests + 1))
    dir=$here/../../scenarios/litmus
    "$vtegra" litmus --soc orin "$dir/$2.litmus" | grep -q "orin.* allowed" || fail "$1: $2 is not allowed"
    "$vtegra" litmus --soc orin "$dir/$3.litmus" | grep -q "orin.* \(forbidden\|unseen\)" || fail "$1: $3 is allowed"
}
litmus kernel_flag_no_fence mp_device_volatile mp_device_threadfence
litmus kernel_last_block mp_device_fence_po mp_device_threadfence
litmus kernel_scope_too_small mp_device_scope_cta mp_device_rel_acq
litmus kernel_stencil_in_place mp_device_none kernel_boundary_device
finish
