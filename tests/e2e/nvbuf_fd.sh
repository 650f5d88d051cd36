#!/bin/sh
# SPDX-License-Identifier: MIT
# A surface of NvBufSurface goes to another process as a file descriptor: on a shared board it is the same memory there, and on a board of one
# process the other one is refused, with the reason.
# Usage: nvbuf_fd.sh BUILD_DIR WORK_DIR
. "$(dirname "$0")/lib.sh"
"${CC:-cc}" -g -I"$source/../../include" "$source/nvbuf_fd.c" -o nvbuf_fd -L"$lib" -lnvbufsurface -Wl,-rpath-link,"$lib" || exit 1
expect "two processes" 0 "parent: 0 wrong" "$vtegra" run --shared --soc xavier -- ./nvbuf_fd
also "two processes" "child: 0 wrong"
expect "two boards" 1 "the child has no surface" "$vtegra" run --soc xavier -- ./nvbuf_fd
also "two boards" "the processes share no board"
finish
