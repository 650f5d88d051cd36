#!/bin/sh
# SPDX-License-Identifier: MIT
# What does a program without hooks pay for memory that is closed while work is on its way? bench/unhooked.sh [BUILD [FRAMES]]: medians
# of RUNS (3) runs, which take turns. "Open" is the same program with an empty library preloaded whose name is that of valgrind's: memory
# stays open under valgrind, all else is the same. Exit status 1 unless 300 frames of 1080p that wait rightly take at most 1.1 times as
# long and have no fault, an access at the mapping takes 10 us at most, a stepped one 25 us, and a program without pinned memory costs
# nothing (1.05, noise). Figures of a busy machine are too high. Beside the cost of an access stands what a signal and its mprotect()
# calls alone cost here, measured by a program that has no board.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-$here/../build/release}" && pwd) || exit 2
frames=${2:-300}
runs=${RUNS:-3}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
vtegra=$build/bin/vtegra
status=0

"$vtegra" cc -g -O2 "$here/unhooked.cu" -o closed || exit 2
echo 'int unhooked_nothing;' >nothing.c
cc -shared -fPIC nothing.c -o libvgpreload_nothing.so || exit 2

# once PRELOADED WAY N: processor time, s
once() {
    LD_PRELOAD=$1 /usr/bin/env time -f '%U %S' -o time "$vtegra" run -q --soc orin -- ./closed "$2" "$3" >out || return
    awk '{ printf "%.2f\n", $1 + $2 }' time
}
median() {
    sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}
# compare WAY LIMIT WORDS
compare() {
    : >closed.s && : >open.s
    for _ in $(seq "$runs"); do
        once "" "$1" "$frames" >>closed.s || exit 2
        once "$work/libvgpreload_nothing.so" "$1" "$frames" >>open.s || exit 2
    done
    closed=$(median <closed.s) open=$(median <open.s)
    awk -v c="$closed" -v o="$open" -v limit="$2" -v words="$3" \
        'BEGIN { printf "%s | %.2f s closed, %.2f s open | %.2f (at most %s)\n", words, c, o, c / o, limit; exit c / o > limit }' || status=1
}
# bare WAY N: what it prints without a board
bare() {
    for _ in $(seq "$runs"); do LD_LIBRARY_PATH=$build/lib ./closed "$1" "$2"; done | median
}
# at_most WAY LIMIT_NS FLOOR WORDS
at_most() {
    ns=$(for _ in $(seq "$runs"); do "$vtegra" run -q --soc orin -- ./closed "$1" 20; done | median)
    floor=$(bare "$3" 20)
    awk -v ns="$ns" -v limit="$2" -v floor="$floor" -v words="$4" \
        'BEGIN { printf "%s | %.1f us (at most %.0f); signal and mprotect() calls alone %.1f us\n", words, ns / 1000, limit / 1000,
                 floor / 1000; exit ns > limit }' || status=1
}

echo "$(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg), medians of $runs, processor time"
compare frames 1.1 "$frames frames of 1080p through pinned memory, waited for"
bare protect "$frames" | awk -v n="$frames" -v c="$closed" -v o="$open" \
    '{ printf "the same, a frame | %.2f ms more than open; its four mprotect() calls alone %.2f ms, at the next accesses, too\n",
              (c - o) / n * 1000, $1 / 1e6 }'
if command -v strace >/dev/null; then
    faults=$(strace -f -o trace -e trace=none -e signal=SIGSEGV "$vtegra" run -q --soc orin -- ./closed frames 5 >out 2>&1; grep -c SIGSEGV trace)
    echo "faults of 5 such frames | $faults (at most 0)"
    [ "$faults" = 0 ] || status=1
fi
compare plain 1.05 "$frames frames in pageable memory"
at_most mapped 10000 fault "an access to a closed page, at the mapping"
at_most stepped 25000 trap "a stepped one"
exit $status
