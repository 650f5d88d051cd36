#!/bin/sh
# SPDX-License-Identifier: MIT
# blame.sh BUILD_DIR WORK_DIR: findings name the work that was not waited for, and the event that was recorded
# in the wrong stream.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../e2e/lib.sh"
source=$here
by_clang blame -g -O1 "$source/blame.cu"

mark() {
    grep -n "MARK $1\$" "$source/blame.cu" | cut -d: -f1
}

# blamed CASE WORK
blamed() {
    for policy in lazy eager; do
        expect "$1" 139 "managed-active-touch" "$vtegra" run --soc orin --policy $policy -- ./blame "$1"
        also "$1" "CPU write to managed memory while the GPU may use it: $2"
        not_there "$1" "kernel first"
    done
}

blamed other_stream "kernel second (stream 2, launched at misuse/blame.cu:$(mark other_stream) in other_stream)"
blamed same_stream "kernel second (stream 1, launched at misuse/blame.cu:$(mark same_stream) in same_stream)"
blamed both "kernel second (stream 1, launched at misuse/blame.cu:$(mark both) in both)"
blamed fill "a copy or fill (stream 2) has not been synchronised"
blamed attached "a copy or fill (stream 2) has not been synchronised"

# A stream that waits for an event of its own has waited for nothing: the record is named.
expect wrong_stream 0 "Race: " "$vtegra" run --check on -- ./blame wrong_stream
also wrong_stream "The last event that stream 2 waited for was recorded at misuse/blame.cu:$(mark wrong_stream) in \
wrong_stream, in stream 2, not behind the write in stream 1."
finish
