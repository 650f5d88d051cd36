#!/bin/sh
# SPDX-License-Identifier: MIT
# The board's camera as /dev/video0: buffers of each kind with the right bytes, what the kernel refuses, memory of CUDA, and v4l2-ctl.
# Usage: v4l2.sh BUILD_DIR WORK_DIR
. "$(dirname "$0")/lib.sh"
unset VTEGRA_CAMERA
"${CC:-cc}" -g -I"$source/../../include" "$source/v4l2.c" -o v4l2 -L"$lib" -lnvbufsurface -Wl,-rpath-link,"$lib" || exit 1

for soc in xavier orin; do
    for kind in mmap user dmabuf surface errors read created epoll; do
        expect "$soc $kind" 0 "$kind: 0 wrong" "$vtegra" run --soc $soc --camera pattern:384x240@30 -- ./v4l2 $kind
    done
done
for policy in eager seeded; do
    expect "$policy" 0 "mmap: 0 wrong" "$vtegra" run --policy $policy --camera pattern:384x240@30 -- ./v4l2 mmap
done
expect "a shared board" 0 "dmabuf: 0 wrong" "$vtegra" run --shared --soc xavier --camera pattern:384x240@30 -- sh -c './v4l2 mmap && ./v4l2 dmabuf'
expect "no synchronisation" 1 "the frame" "$vtegra" run --soc xavier --camera pattern:384x240@30 -- ./v4l2 unsynced
also "no synchronisation" "rule stale-cpu-invalidate-missing"
also "no synchronisation" "NvBufSurfaceSyncForCpu(surf, index, 0)"

# A file: two frames, and one that is cut off.
{
    printf 'YUV4MPEG2 W32 H32 F30:1 C420\n'
    for frame in 1 2; do
        printf 'FRAME\n'
        head -c 1536 /dev/zero
    done
    printf 'FRAME\n'
    head -c 700 /dev/zero
} >cut.y4m
expect "a file that is cut off" 0 "bad frames: 0x9" "$vtegra" run --camera cut.y4m -- ./v4l2 short
also "a file that is cut off" "rule vi-capture-failed"
also "a file that is cut off" "CHANSEL_SHORT_FRAME"

expect "a file that is none" 125 "No such file" "$vtegra" run --camera none.y4m -- ./v4l2
expect "an odd size" 125 "even numbers from 2 to 8192" "$vtegra" run --camera pattern:33x32@30 -- ./v4l2
expect "no camera" 2 "no camera: " "$vtegra" run -- ./v4l2
expect "no VI" 2 "has no VI that is modelled" "$vtegra" run --soc nano --camera pattern:64x64@30 -- ./v4l2

by_clang v4l2_cuda --track -g -O1 "$source/v4l2_cuda.cu"
for soc in tx2 xavier orin; do
    for kind in managed pinned; do
        expect "$soc $kind" 0 "0 wrong" "$vtegra" run --soc $soc --camera pattern:64x64@30 -- ./v4l2_cuda $kind
        also "$soc $kind" "Findings none"
    done
done
expect "a kernel before VIDIOC_DQBUF" 1 "wrong" "$vtegra" run --camera pattern:64x64@30 -- ./v4l2_cuda managed early
also "a kernel before VIDIOC_DQBUF" "Race: write by VIDIOC_QBUF"
expect "the CPU in a queued buffer" 0 "0 wrong" "$vtegra" run --camera pattern:64x64@30 -- ./v4l2_cuda pinned touch
also "the CPU in a queued buffer" "Race: read by the CPU and write by VIDIOC_QBUF"
also "the CPU in a queued buffer" "Use it when VIDIOC_DQBUF has returned it"

if command -v v4l2-ctl >/dev/null; then
    expect "v4l2-ctl" 0 "Card type" "$vtegra" run --camera pattern:64x64@30 -- v4l2-ctl -d /dev/video0 --all
    rm -f frames.raw
    expect "v4l2-ctl streams" 0 "" "$vtegra" run --camera pattern:64x64@30 -- v4l2-ctl -d /dev/video0 --stream-mmap=3 --stream-count=4 --stream-to=frames.raw
    expect "v4l2-ctl's bytes" 0 "32768" stat -c %s frames.raw # 4 frames of 64 x 64 x 2
fi

expect "dd reads" 0 "" "$vtegra" run --camera pattern:64x64@30 -- dd if=/dev/video0 of=read.raw bs=8192 count=3
expect "dd's bytes" 0 "24576" stat -c %s read.raw
finish
