#!/bin/sh
# SPDX-License-Identifier: MIT
# two.sh BUILD_DIR WORK_DIR: EGLStreams of two processes on one board. Codes: EGL_KHR_stream_cross_process_fd; those of a disconnected
# stream as in one process (NVIDIA's driver 580.159).
here=$(cd "$(dirname "$0")" && pwd)
[ -e "$1/lib/libEGL_vtegra.so.0" ] || { echo "skipped: no EGL in this build (scripts/install-deps.sh)"; exit 77; }
ldconfig -p 2>/dev/null | grep -q libEGL_mesa.so.0 || { echo "skipped: no libegl-mesa0 (scripts/install-deps.sh)"; exit 77; }
. "$here/../e2e/lib.sh"
by_clang two -g -O1 "$here/two.cu" -lEGL

for how in "orin lazy" "xavier eager"; do
    set -- $how
    for case in frames arrays; do
        expect "$case, $how" 0 "20 frames, 0 wrong, status 0" "$vtegra" run --shared --soc "$1" --policy "$2" -- ./two $case
    done
done
for policy in lazy eager; do
    expect "memory that comes and goes, $policy" 0 "250 frames, 0 wrong, status 0" "$vtegra" run --shared --soc orin --policy $policy -- \
        ./two fresh
done
expect "again" 0 "descriptors left: 0" "$vtegra" run --shared --soc orin -- ./two again
expect "same memory" 0 "1 then 2, state 0x321a, release cudaSuccess" "$vtegra" run --shared --soc orin -- ./two same
expect "the producer is killed" 0 "killed -9, state 0x321a, wrong 0, release cudaSuccess, acquire cudaErrorUnknown" \
    "$vtegra" run --shared --soc orin -- ./two producer_killed
expect "the consumer is killed" 0 "present or return cudaErrorUnknown, killed -9, state 0x321a, return cudaErrorUnknown" \
    "$vtegra" run --shared --soc orin -- ./two consumer_killed
expect "a process without an end is killed" 0 "killed -9, state 0x3216, then 0x3217" "$vtegra" run --shared --soc orin -- ./two idle_killed
expect "descriptors" 0 "twice: 0 0x321c
no descriptor: 0 0x3004
closed: 0 0x3004
standard input: 0 0x3004
another socket: 0 0x3004
a descriptor of the duplicate: 0 0x321c
CREATED: 1 0x3000
used by the other process: 0 0x3004
connected: 0 0x321c
in this process: 1 0x3000
of a duplicate: 0 0x321c
again: 0 0x3004
both connected: 0 0x321c
and used: 0 0x3004" "$vtegra" run --shared --soc orin -- ./two descriptors
also "descriptors" "descriptor 999 is none of a stream"
also "descriptors" "(SCM_RIGHTS)"
expect "a child of fork()" 0 "child: 0 0x3003
status 0" "$vtegra" run --shared --soc orin -- ./two forked
also "a child of fork()" "is a child of fork(), and its parent had used CUDA"
expect "handles" 0 "sync of the other handle: 0 0x3002
sync 0x30f6
byte 7
reset by the consumer: 0 0x3002
reset by the producer: 1 0x3000
the frame is back: 1" "$vtegra" run --shared --soc orin -- ./two handles
# EGL_KHR_stream_cross_process_fd: a process without an end "has no effect"; EGL_NV_stream_sync: the consumer's process alone.
expect "both ends on one handle" 0 "closed: state 0x3217, 0 wrong
0 wrong, consumer at 20
managed cudaSuccess, acquire cudaSuccess
sync: 1 0x3000
reset: 1 0x3000
state 0x321a
used: state 0x3217, 0 wrong
there: state 0x3217, consumer cudaErrorUnknown
sync there: 0 0x3002
killed -9, state 0x3217
0 wrong, consumer at 20
managed cudaSuccess, acquire cudaSuccess
sync: 1 0x3000
reset: 1 0x3000
state 0x321a" "$vtegra" run --shared --soc orin -- ./two one
by_clang kinds -g -O1 "$here/kinds.cu" -lEGL -lnvscibuf -lnvscisync -lnvsciipc
for how in "orin lazy" "xavier eager"; do
    # shellcheck disable=SC2086
    set -- $how
    expect "kinds of memory, $how" 0 "status 0" "$vtegra" run --shared --soc "$1" --policy "$2" -- ./kinds
    for line in "device 1: cudaSuccess" "frame 1, 0 wrong" "managed 2: cudaErrorNotSupported" "this one is in managed memory" \
        "pitch 3: cudaSuccess" "frame 3, 0 wrong" "pinned 4: cudaSuccess" "frame 4, 0 wrong" "nvscibuf 5: cudaSuccess" \
        "frame 5, 0 wrong" "nvscibuf, not cached 6: cudaSuccess" "frame 6, 0 wrong"; do
        also "kinds of memory, $how" "$line"
    done
    not_there "kinds of memory, $how" "frame 2,"
done
# The export is the memory's, not the mapping's: CUDA Driver API, cuExternalMemoryGetMappedBuffer.
expect "another mapping goes" 0 "acquire: cudaSuccess
frame 7, 0 wrong
status 0" "$vtegra" run --shared --soc orin -- ./kinds unmap
not_there "another mapping goes" "egl-frame-freed"
expect "both mappings go" 0 "acquire: cudaErrorUnknown
status 0" "$vtegra" run --shared --soc orin -- ./kinds unmap_both
also "both mappings go" "egl-frame-freed"
expect "alone" 0 "alone: 0 0x3003" "$vtegra" run --soc orin --report report -- ./two alone
cat report >>out
also "alone" "give all processes one board (vtegra run --shared"
finish
