#!/bin/sh
# SPDX-License-Identifier: MIT
# What --races finds in programs with a label. races-suites.sh BUILD LIST [HOW]: each line of LIST is
#   LABEL COMMAND...        racy or clean, and a program that is already built, with its arguments; # begins a comment
# Prints a row for each program that is judged otherwise than its label, and the sums. HOW: on (default) or lockstep. Stores of
# one value (kernel-race-same-value) count as no finding. A program may take SECONDS_EACH (60) seconds; one that fails by itself is counted
# apart (a kernel that was not launched has no race). ROWS names a file that keeps the rows: stopped, the script goes on behind them. Exit status 1 if a verdict differs from its label. docs/races.md has the suites and results.
set -u
[ $# -ge 2 ] || { sed -n '3,4s/^# //p' "$0" >&2; exit 2; }
build=$(cd "$1" && pwd) || exit 2
list=$2
how=${3:-on}
[ -r "$list" ] || { echo "$list cannot be read" >&2; exit 2; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
rows=${ROWS:-$work/rows}
touch "$rows"

# found: how many findings of races inside kernels the last report has
found() {
    grep -o '"rule" *: *"kernel-race-[a-z-]*"' "$work/report.json" | grep -vc same-value
}

grep -v '^ *\(#\|$\)' "$list" | tail -n "+$(($(wc -l <"$rows") + 1))" | while read -r label command; do
    rm -f "$work/report.json"
    # shellcheck disable=SC2086 # the words of a command, without spaces in them
    timeout -k 5 "${SECONDS_EACH:-60}" "$build/bin/vtegra" run -q --soc orin --check off --races "$how" --json "$work/report.json" -- \
        $command >"$work/out" 2>&1 </dev/null
    status=$?
    if [ $status != 0 ] || [ ! -s "$work/report.json" ]; then
        echo "$label failed $command"
        continue
    fi
    [ "$(found)" -gt 0 ] && verdict=racy || verdict=clean
    echo "$label $verdict $command"
done >>"$rows"

awk '
    $1 != $2 { print $2 " (label: " $1 "): " substr($0, length($1 $2) + 3) }
    $2 == "failed" { failed++; next }
    { n[$1]++; right[$1] += $1 == $2 }
    END {
        printf "racy: %d of %d found; clean: %d of %d with a finding; did not run: %d\n", right["racy"], n["racy"],
               n["clean"] - right["clean"], n["clean"], failed
        exit right["racy"] != n["racy"] || right["clean"] != n["clean"]
    }' "$rows"
