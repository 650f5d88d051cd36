#!/bin/sh
# SPDX-License-Identifier: MIT
# Where the program does not call CUDA a place is an offset in a file, which addr2line makes a line of
# (docs/reproduce.md, A run that cannot go on). Usage: offset.sh BUILD_DIR WORK_DIR
. "$(dirname "$0")/lib.sh"
command -v addr2line >/dev/null || {
    echo "SKIP: no addr2line"
    exit 77
}
build offset cc -g -O1 "$here/offset.c" -lpthread

# line NAME HOW: what the report says after HOW is of the line that is marked so
line() {
    tests=$((tests + 1))
    offset=$(sed -n "s/.*$2 offset+\(0x[0-9a-f]*\).*/\1/p" told)
    marked=$(grep -n "MARK $1 " "$here/offset.c" | cut -d: -f1)
    got=$(addr2line -e ./offset "${offset:-none}")
    case $got in
    */offset.c:"$marked" | */offset.c:"$marked "*) ;;
    *) fail "$1: $got, want line $marked: $(cat told)" ;;
    esac
}

timeout 30 "$vtegra" run --policy seeded -- ./offset >told 2>&1
status=$?
tests=$((tests + 1))
[ $status = 122 ] || fail "status $status: $(cat told)"
line waits "waits for mutex [0-9]* at"
line held "has held since"
finish
