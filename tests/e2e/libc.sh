#!/bin/sh
# SPDX-License-Identifier: MIT
# libc.sh BUILD_DIR WORK_DIR: with vtegra cc --track, system calls and the C library's functions are seen to access the
# memory that they are given, at the line of the call.
. "$(dirname "$0")/lib.sh"
by_clang libc --track -g -O1 "$source/libc.cu" -lcuda
# The board takes ten seconds to say that nobody will write what another thread waits for; the rest runs meanwhile.
timeout 100 "$vtegra" run -- ./libc waits >waits 2>&1 </dev/null &
waits=$!
cases=$(grep -n '^    CASE(' "$source/libc.cu" | cut -d: -f1)

for policy in lazy eager "seeded --seed 1"; do
    rm -f report
    # shellcheck disable=SC2086
    "$vtegra" run -q --policy $policy --report report -- ./libc >out 2>&1 </dev/null
    for line in $cases; do
        tests=$((tests + 1))
        sed -n '/^Findings/,/^Advice/p' report | grep -qE "where .*libc\.cu:$line " ||
            fail "$policy: no race at $(sed -n "${line}p" "$source/libc.cu")"
    done
    tests=$((tests + 1))
    # one for each line: no other place than the program's
    [ "$(grep -c '^ *rule *race' report)" = "$(echo "$cases" | wc -w)" ] ||
        fail "$policy: $(grep '^ *where' report | sort | uniq -c)"
    for mode in fixed short; do
        # shellcheck disable=SC2086
        expect "$mode, $policy" 0 "" "$vtegra" run -q --policy $policy --report report -- ./libc $mode
        tests=$((tests + 1))
        grep -q '^ *rule ' report && fail "$mode, $policy: $(sed -n '/^Findings/,/^Advice/p' report)"
    done
    tests=$((tests + 1))
    # 10 bytes by each of three calls: no more are told than came
    grep -q 'stores, wrote 30 B' report || fail "short, $policy: $(grep stores report)"
done
# A call that waits is at the program's line, not in what stands before the C library.
for i in $(seq 400); do
    grep -q "cannot happen" waits && break
    sleep 0.2
done
tests=$((tests + 1))
kill -TERM $waits || fail "place of a wait: the program has ended"
wait $waits
cp waits out
line=$(grep -n 'nobody sends' "$source/libc.cu" | cut -d: -f1)
also "place of a wait" "cannot happen"
also "place of a wait" "thread 0 waits for a file descriptor at e2e/libc.cu:$line in"

# Nothing that the compiler or the assembler has to say: C++20 has a section that GNU's assembler does not know.
# shellcheck disable=SC2086 # words
expect "C++20" 0 "" "$vtegra" cc $one_target --track -std=c++20 -c "$source/libc.cu" -o cxx20.o
not_there "C++20" arning
finish
