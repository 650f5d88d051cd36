#!/bin/sh
# SPDX-License-Identifier: MIT
# What does a program without hooks pay for memory that is closed while work is on its way? bench/unhooked.sh [BUILD [FRAMES]]: medians
# of RUNS (3) runs, which take turns. "Open" is the same program with one empty file with hooks linked in: memory then stays open, all
# else is the same. Exit status 1 unless 300 frames of 1080p that wait rightly take at most 1.1 times as long and have no fault, an
# access at the mapping takes 10 us at most, a stepped one 25 us, and a program without pinned memory costs nothing (1.05, noise).
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

echo 'int unhooked_has_hooks;' >hooks.cpp
echo 'void unhooked_hook(int *p) { *p = 1; }' >>hooks.cpp
"$vtegra" cc -g -O2 "$here/unhooked.cu" -o closed || exit 2
"$vtegra" cc -g -O2 --track -c hooks.cpp -o hooks.o && "$vtegra" cc -g -O2 -c "$here/unhooked.cu" -o plain.o &&
    "$vtegra" cc -g -O2 --track plain.o hooks.o -o open || exit 2

# once PROGRAM WAY N: its processor time, s
once() {
    /usr/bin/env time -f '%U %S' -o time "$vtegra" run -q --soc orin -- "./$@" >out || return
    awk '{ printf "%.2f\n", $1 + $2 }' time
}
median() {
    sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}
# compare WAY LIMIT WORDS
compare() {
    : >closed.s && : >open.s
    for _ in $(seq "$runs"); do
        once closed "$1" "$frames" >>closed.s || exit 2
        once open "$1" "$frames" >>open.s || exit 2
    done
    closed=$(median <closed.s) open=$(median <open.s)
    awk -v c="$closed" -v o="$open" -v limit="$2" -v words="$3" \
        'BEGIN { printf "%s | %.2f s closed, %.2f s open | %.2f (at most %s)\n", words, c, o, c / o, limit; exit c / o > limit }' || status=1
}
# at_most WAY LIMIT_NS WORDS
at_most() {
    ns=$(for _ in $(seq "$runs"); do "$vtegra" run -q --soc orin -- ./closed "$1" 20; done | median)
    awk -v ns="$ns" -v limit="$2" -v words="$3" \
        'BEGIN { printf "%s | %.1f us (at most %.0f)\n", words, ns / 1000, limit / 1000; exit ns > limit }' || status=1
}

echo "$(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg), medians of $runs, processor time"
compare frames 1.1 "$frames frames of 1080p through pinned memory, waited for"
if command -v strace >/dev/null; then
    faults=$(strace -f -o trace -e trace=none -e signal=SIGSEGV "$vtegra" run -q --soc orin -- ./closed frames 5 >out 2>&1; grep -c SIGSEGV trace)
    echo "faults of 5 such frames | $faults (at most 0)"
    [ "$faults" = 0 ] || status=1
fi
compare plain 1.05 "$frames frames in pageable memory"
at_most mapped 10000 "an access to a closed page, at the mapping"
at_most stepped 25000 "a stepped one"
exit $status
