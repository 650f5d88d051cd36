#!/bin/sh
# SPDX-License-Identifier: MIT
# shellcheck disable=SC1091,SC2086,SC2154
# scenario.sh BUILD_DIR WORK_DIR [hooks|twins]: vtegra scenario from outside. With hooks, a sample of the scenarios on their own
# boards; with twins, each scenario and its corrected one; without (a sanitizer's runtime shares no program with them), litmus
# texts and bad input.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../e2e/lib.sh"
export XDG_CACHE_HOME="$work/cache"
scenario="$vtegra scenario"

# --- what it prints
expect list 0 "read_before_sync" $scenario list
also list "shows on: all but thor"
also list "shows on: all but nano tx2; unsupported on nano tx2" # registered_read_early: it cannot be made there
expect list_topics 0 "Waiting for a kernel" $scenario list
tests=$((tests + 1)) # by topic, then by level; the first of a course is at the top
[ "$(sed -n 2p out | cut -c1-5)" = "  1  " ] || fail "the list begins with $(sed -n 2p out)"
also list_levels "3 callback_worker"
not_there "every scenario has a topic" "Others"
expect junit 0 "<testcase classname=\"litmus\" name=\"message_managed" $scenario run message_managed --junit -
expect list_json 0 '"name":"read_before_sync"' $scenario list --json
expect show 0 "sum += out[i]; /* <-- found here */" $scenario show read_before_sync
also show "Pinned memory needs no copy on a Tegra"
expect help 0 "schedule-dependent" $scenario --help
expect litmus 0 "Found     allowed: as expected" $scenario run message_managed
expect litmus_thor 0 "Found     forbidden: as expected" $scenario run message_managed --soc thor
expect litmus_twin 0 "Found     forbidden: as expected" $scenario run message_managed --twin

# --- bad input
expect unknown 2 "no scenario \"read_before_synk\"; did you mean read_before_sync?" $scenario run read_before_synk
expect nothing 2 "say list, show NAME" $scenario
expect neither 2 "say list, show NAME" $scenario run
expect both 2 "say list, show NAME" $scenario run --all read_before_sync
expect policy 2 "did you mean lazy?" $scenario run read_before_sync --policy lasy
expect seed 2 "--seed is for --policy seeded" $scenario run read_before_sync --policy lazy --seed 3
expect soc 2 "did you mean orin?" $scenario run read_before_sync --soc orim
expect absent 125 "nano (linux) has no such thing" $scenario run dla_output_early --soc nano
expect no_folder 125 "No such file" $scenario list --dir /nonexistent
expect no_cache 125 "XDG_CACHE_HOME says where" env XDG_CACHE_HOME=/dev/null $scenario run read_before_sync

# bad NAME LINE-OF-SED TEXT: a scenario.conf that is wrong is named, with the key
bad() {
    rm -rf "library" && mkdir -p library/message && cp "$here/../../scenarios/message_managed/README.md" library/message
    sed "s|\.\./litmus|$here/../../scenarios/litmus|; $2" "$here/../../scenarios/message_managed/scenario.conf" >library/message/scenario.conf
    [ "$1" = bad_readme ] && rm library/message/README.md
    expect "$1" 125 "$3" $scenario list --dir library
    also "$1" "library/message/"
}
bad bad_title '/^title/d' "no key \"title\""
bad bad_group 's/^group.*/group = other/' "group \"other\" is none of omitted-sync"
bad bad_key 's/^standing/standin/' "no key \"standing\""
bad bad_word 's/^source/colour = red\nsource/' "no key is called \"colour\""
bad bad_races 's/^source/races = maybe\nsource/' "races \"maybe\" must be auto, on, off or lockstep"
bad bad_twin '/^twin/d' "needs the keys \"litmus\" and \"twin\""
bad bad_litmus 's|mp_managed_running|none|' "there is no "
bad bad_expect '/=.*absent/d; /=.*allowed/d; /=.*forbidden/d' "nothing in [expect]"
bad bad_readme '' "README.md is missing"
# an expectation that does not hold is said, and what was found instead
bad_expectation() {
    sed "s|\.\./litmus|$here/../../scenarios/litmus|; s/= allowed/= forbidden/" \
        "$here/../../scenarios/message_managed/scenario.conf" >library/message/scenario.conf
    cp "$here/../../scenarios/message_managed/README.md" library/message
    expect bad_expectation 1 "FAIL message orin exhaustive: allowed; no forbidden" $scenario run message --quiet --dir library
}
bad_expectation

[ -n "${3:-}" ] || finish

# --- what is found is what is explained. The programs of a folder are built into one, by one run of the compiler.
[ "$3" != twins ] || thorough=long
explained="large_shared_memory pageable_on_gpu plain_pointer_handoff callback_wrong_stream event_too_early lost_wakeup"
# folder NAME SCENARIO...: a library of these, as links, and what other folders they read
folder() {
    rm -rf "$1" && mkdir "$1"
    for word in litmus cudla_hybrid sci $(printf '%s\n' "$@" | sed 1d | sort -u); do
        ln -s "$here/../../scenarios/$word" "$1/"
    done
}
folder explained $explained
expect explained 0 "" $scenario run --all --dir "$work/explained"
also refused_call "98304 bytes of dynamic shared memory beside 0 static ones, a block on this SoC has 49152 at most"
also out_of_reach "load from pageable memory of the CPU"
also out_of_reach "pageableMemoryAccess = 0"
also handed_over "CPU thread 0 has waited for this work, CPU thread 1 has not: let the second thread wait"
also host_function "which may not call CUDA, let its stream wait first"
also event_early "event_too_early.cu:31 in "
also event_early "in stream 1, but before the write."
also signal_lost "a condition does not keep a signal"

# --- the library: every fifth scenario, or each, once, built by itself or in one program with the others
expect one 0 "Found     race result: as expected" $scenario run read_before_sync
also one "where read_before_sync/read_before_sync.cu:$(grep -n 'found here' "$here/../../scenarios/read_before_sync/read_before_sync.cu" | cut -d: -f1)"
expect again 0 "as expected" $scenario run read_before_sync # from the cache
expect another_board 0 "Found     race result: as expected" $scenario run managed_read_running --soc thor
expect by_seed 0 "seeded" $scenario run lost_update --seed 5 --quiet
# whole NAME OPTIONS...: all of them; what is not as expected is shown
whole() {
    name=$1
    shift
    tests=$((tests + 1))
    $scenario run --all --quiet "$@" >out 2>&1 || {
        fail "$name"
        grep -v '^ok' out
    }
}
if [ "$3" = twins ]; then
    whole all
else
    names=$(for file in "$here"/../../scenarios/*/scenario.conf; do basename "$(dirname "$file")"; done)
    folder sample small_managed copies_for_nothing dla_output_early $(some 5 $names) # no fifth one is about cost, or the DLA
    whole sample --dir sample
fi
[ "$3" != twins ] || whole all_twins --twin --runs 1
# a header beside the programs belongs to what is built: changed, it is built again
mkdir -p shared/header shared/parts
cp "$here/../../scenarios/read_before_sync/README.md" shared/header
sed 's/= race result/= silent/; s/^\(title.*\)/\1\nlibraries = cudla/' "$here/../../scenarios/read_before_sync/scenario.conf" >shared/header/scenario.conf
printf '#include "../parts/status.h"\n#include <cuda_runtime.h>\nint main() { cudaFree(0); return STATUS; }\n' >shared/header/header.cu
echo '#define STATUS 0' >shared/parts/status.h
expect header 0 "" $scenario run header --quiet --dir shared
echo '#define STATUS 3' >shared/parts/status.h
expect header_changed 1 "also status-3" $scenario run header --quiet --dir shared
# a finding that nobody expects, and one that is missing
mkdir -p library/read_before_sync && cp "$here/../../scenarios/read_before_sync/"* library/read_before_sync
rm -r library/message
sed -i 's/= race result/= silent/' library/read_before_sync/scenario.conf
expect unexpected 1 "also race" $scenario run read_before_sync --quiet --dir library
sed -i 's/= silent/= race result stale-l2-clean-missing/' library/read_before_sync/scenario.conf
expect missing 1 "no stale-l2-clean-missing" $scenario run read_before_sync --quiet --dir library
finish
