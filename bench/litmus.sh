#!/bin/sh
# SPDX-License-Identifier: MIT
# Time and states of every litmus test: bench/litmus.sh [BUILD_DIR] (build/release). The slowest first, then the sums.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-$here/../build/release}" && pwd) || exit 2
vtegra=$build/bin/vtegra
files=$here/../scenarios/litmus
table=$(mktemp) || exit 2
trap 'rm -f "$table"' EXIT

milliseconds() {
    date +%s%N | cut -c1-13
}

states() {
    "$vtegra" litmus -q "$@" | sed -n 's/.* \([0-9]*\) states$/\1/p' | tail -1
}

for file in "$files"/*.litmus; do
    begin=$(milliseconds)
    reduced=$(states "$file")
    middle=$(milliseconds)
    all=$(states --no-reduction "$file")
    end=$(milliseconds)
    echo "$((middle - begin)) $reduced $((end - middle)) $all $(basename "$file" .litmus)"
done >"$table"
echo "  ms   states   ms, all   states, all   test (times include the start of the program)"
sort -k4,4nr "$table" | head -20 | awk '{ printf "%4d %8d %9d %13d   %s\n", $1, $2, $3, $4, $5 }'
awk '{ a += $2; b += $4; n++ } END { printf "%d tests: %d states, %d without reduction\n", n, a, b }' "$table"
begin=$(milliseconds)
"$vtegra" litmus -q "$files" || exit 1
echo "all of them in one run: $(($(milliseconds) - begin)) ms (at most 60000)"
