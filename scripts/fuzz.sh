#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs every fuzzer for a time and prints how many edges of its code the seeds and what it found reach.
# Usage: scripts/fuzz.sh SECONDS [NAME...]     NAME: app, ptx ...; default all. BUILD: another folder than build/fuzz.
# What was found stays in the build folder for the next time; an input that fails is kept there and named.
# Exit status: 0 all clean, 1 a fuzzer failed, 2 wrong usage.
set -u
cd "$(dirname "$0")/.." || exit 2
case ${1:-} in
'' | *[!0-9]*)
    echo "usage: scripts/fuzz.sh SECONDS [NAME...]" >&2
    exit 2
    ;;
esac
seconds=$1
shift
build=${BUILD:-build/fuzz}
if [ ! -f "$build/build.ninja" ]; then
    cmake --preset fuzz >/dev/null || exit 2
fi
targets=fuzzers
for name; do
    targets="$targets fuzz_$name"
done
# shellcheck disable=SC2086 # a list of words
cmake --build "$build" --target ${targets#"${1:+fuzzers }"} >"$build/fuzzers.log" 2>&1 || {
    tail -n 20 "$build/fuzzers.log" >&2
    exit 2
}
build=$(cd "$build" && pwd)
failed=0
printf '%-14s %8s %8s %10s\n' target edges of runs
# One line a fuzzer: its name, its program, its folders (cmake/VtegraTest.cmake).
while read -r name program folders; do
    case " ${*:-$name} " in *" $name "*) ;; *) continue ;; esac
    log=$build/fuzz_$name.log
    # shellcheck disable=SC2086 # folders
    if ! "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -close_fd_mask=1 \
        -artifact_prefix="$build/failed_$name-" $folders >"$log" 2>&1 </dev/null; then
        failed=1
        echo "$name failed: $log; input: $(sed -n 's/.*Test unit written to //p' "$log")"
        continue
    fi
    edges=$(sed -n 's/.* cov: \([0-9]*\).*/\1/p' "$log" | tail -n 1)
    all=$(sed -n 's/.*INFO: Loaded .* (\([0-9]*\) inline 8-bit counters).*/\1/p' "$log" | head -n 1)
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    printf '%-14s %8s %8s %10s\n' "$name" "${edges:-?}" "${all:-?}" "${runs:-?}"
done <"$build/fuzzers.txt"
exit $failed
