#!/bin/sh
# SPDX-License-Identifier: MIT
# egl.sh BUILD_DIR WORK_DIR [long]: mistakes with EGLStreams between CUDA and CUDA: each gives its code or its finding, and the twin
# neither; and an EGLImage. Codes: NVIDIA's driver 580.159 (tests/test_driver_egl.c); rules: CUDA for Tegra 5.1, EGL_KHR_stream.
here=$(cd "$(dirname "$0")" && pwd)
[ -e "$1/lib/libEGL_vtegra.so.0" ] || { echo "skipped: no EGL in this build (scripts/install-deps.sh)"; exit 77; }
ldconfig -p 2>/dev/null | grep -q libEGL_mesa.so.0 || { echo "skipped: no libegl-mesa0 (scripts/install-deps.sh)"; exit 77; }
. "$here/../e2e/lib.sh"
by_clang egl --track -g -O1 "$here/egl.cu" -lEGL

# wrong CASE OUTPUT TEXT...
wrong() {
    case=$1 output=$2
    shift 2
    expect "$case" 0 "$output" "$vtegra" run --soc orin -- ./egl "$case" wrong
    for text in "$@"; do
        also "$case" "$text"
    done
}

wrong order "order cudaErrorUnknown" "state CREATED" "no consumer has connected yet"
wrong second "second cudaErrorUnknown" "state EMPTY" "both ends have connected"
wrong size "size cudaSuccess" "rule egl-frame-size" "64 x 8" "64 x 16"
wrong many "many cudaErrorUnknown" "64 frames"
wrong written "written cudaSuccess" "rule egl-frame-written" "frame 1"
wrong released "released cudaSuccess" "rule egl-frame-released" "frame 1"
wrong twice "twice cudaErrorUnknown" "released before"
wrong freed "freed cudaSuccess" "rule egl-frame-freed"
wrong rewritten "rewritten cudaSuccess" "rule egl-frame-rewritten" "frame 1"
wrong pinned "pinned cudaErrorLaunchTimeout" "rule egl-frame-pinned" "EGL_SUPPORT_REUSE_NV"
wrong repeated "repeated cudaSuccess" "a second time"
wrong context "context cudaErrorInvalidResourceHandle" "rule egl-context-gone"
wrong disconnected "EGL error 0x321c disconnected cudaSuccess"
wrong discarded "discarded cudaSuccess" "never seen"
wrong second_gpu "second_gpu cudaErrorInvalidDevice" "a Tegra has one"
wrong early "early cudaErrorInvalidValue" "rule race"

# EGLImages, CUDA for Tegra 5.2: nothing is synchronised by itself, and no side's work is lost.
by_clang egl_image --track -g -O1 "$here/egl_image.cu" -lEGL -lGLESv2
for policy in $(some 3 lazy eager seeded); do
    expect "image $policy" 0 "flags 1: cudaErrorInvalidValue
no image: cudaErrorInvalidResourceHandle
GL before the wait: 0 0 0 0
GL after the wait: 1 2 3 4
CUDA before glFinish: 0
CUDA after glFinish: 255
GL at the end: 1 2 3 4
GL error 0, context 1" "$vtegra" run --soc orin --policy $policy -- ./egl_image
done

# EGLSync, 5.3: pixels follow the synchronisation that is there, under every policy, and the CPU waits for nothing.
by_clang egl_sync --track -g -O1 "$here/egl_sync.cu" -lEGL -lGLESv2
for policy in lazy eager seeded; do
    expect "sync $policy" 0 "GL sees 10, CUDA saw 51
GL sees 20, CUDA saw 102" "$vtegra" run --soc orin --policy $policy -- ./egl_sync order
    also "sync $policy" "rule egl-image-gl-pending" # what GL draws after the fence
    [ "$thorough" = long ] || [ $policy = eager ] || continue
    expect "sync without a fence $policy" 0 "GL sees 10, CUDA saw 0
GL sees 20, CUDA saw 0" "$vtegra" run --soc orin --policy $policy -- ./egl_sync no_fence
    expect "sync without an event $policy" 0 "GL sees 0, CUDA saw 51
GL sees 10, CUDA saw 102" "$vtegra" run --soc xavier --policy $policy -- ./egl_sync no_event
done
# EGL_NV_cuda_event; where the note says "not supported" without a code, ours is cudaErrorNotSupported.
expect "sync codes" 0 "never recorded: 0 0x3004
no event: 0 0x3004
no handle: 0 0x3004
by eglCreateSyncKHR: 0 0x3004
type 0x323c condition 0x323d status 0x30f3 wait 0x30f6 status 0x30f2, GL sees 7
attribute: 0 0x3004
wait flags: 0 0x300c
from no sync: cudaErrorInvalidResourceHandle
from a CUDA event: cudaErrorInvalidResourceHandle
flags: cudaErrorInvalidValue
record: cudaErrorNotSupported
elapsed: cudaErrorNotSupported
query: cudaSuccess
synchronize: cudaSuccess
destroyed twice: 0 0x300c
another GPU: cudaErrorInvalidDevice" "$vtegra" run --soc orin -- ./egl_sync codes
also "sync codes" "never recorded: cudaEventRecord() comes first"
also "sync codes" "was made from an EGLSync"

# What is pending, 5.2: the finding names the image and what is missing. The pixels are the older ones, or those of that moment.
by_clang egl_pending --track -g -O1 "$here/egl_pending.cu" -lEGL -lGLESv2
# pending CASE OUTPUT_WRONG OUTPUT_RIGHT TEXT...: under every policy
pending() {
    case=$1 output=$2 twin=$3
    shift 3
    for policy in $(some 3 lazy eager seeded); do
        expect "$case $policy" 0 "$output" "$vtegra" run --soc orin --policy $policy -- ./egl_pending "$case" wrong
        for text in "$@"; do
            also "$case $policy" "$text"
        done
        expect "$case right $policy" 0 "$twin" "$vtegra" run --soc orin --policy $policy -- ./egl_pending "$case" right
        also "$case right $policy" "Findings none"
    done
}
pending drawn "CUDA reads 0" "CUDA reads 51" "rule egl-image-gl-pending" "look reads EGLImage 1 (64 x 64)" "(glClear)" "call glFinish()"
pending after_fence "CUDA reads 51" "CUDA reads 102" "rule egl-image-gl-pending" "(glClear)"
pending drawn_copy "CUDA copies 0" "CUDA copies 51" "rule egl-image-gl-pending" "a copy or fill reads"
pending uploaded "CUDA reads 0" "CUDA reads 77" "rule egl-image-gl-pending" "(glTexSubImage2D)"
pending unwaited "GL reads 0" "GL reads 10" "rule egl-image-cuda-pending" "glReadPixels reads EGLImage 1" "cudaStreamSynchronize"
pending sampled "GL draws 0" "GL draws 20" "rule egl-image-cuda-pending" "glDrawArrays reads EGLImage 1" "which change writes"
pending overdrawn "GL clears" "GL reads 0" "rule egl-image-cuda-pending" "glClear draws into EGLImage 1" "which look reads"
pending copied "GL reads 0" "GL reads 30" "rule egl-image-cuda-pending" "cudaMemcpy2DToArrayAsync"
pending renderbuffer "CUDA reads 51, GL reads 51" "CUDA reads 51, GL reads 70" "rule egl-image-cuda-pending" "EGLImage 2 (64 x 64)"
pending destroyed "cudaErrorInvalidResourceHandle GL reads 40" "GL reads 40" "rule egl-image-destroyed"
pending rerecorded "GL reads 60" "GL reads 60" "rule egl-sync-rerecorded" "egl_pending.cu:364 in rerecorded" \
    "egl_pending.cu:369 in rerecorded"
# The event still stands for what OpenGL had drawn: a board's answer is undefined.
pending sync_destroyed "CUDA reads 51" "CUDA reads 51" "rule egl-sync-destroyed" "the event was made from is destroyed" "in sync_destroyed"
pending sync_destroyed_wait "CUDA reads 51" "CUDA reads 51" "rule egl-sync-destroyed" "in sync_destroyed_wait"
pending flags cudaErrorInvalidValue cudaSuccess "only 0 is allowed"
pending of_cuda "0 cudaErrorInvalidResourceHandle" cudaSuccess "only EGLImages that were made of"
pending descriptor "connected -1 0x321c, foreign 0 0x3004" ""

# A discrete GPU: 5.2.1 and 5.3.1 are of Tegra alone (the note names no code), and GL's own resources are for it. On a Tegra
# the same calls succeed. EGL_NV_cuda_event is no extension of NVIDIA's driver 580.159 there; EGL_KHR_fence_sync has
# EGL_BAD_ATTRIBUTE for a type that is not supported.
by_clang egl_desktop --track -g -O1 "$here/egl_desktop.cu" -lEGL -lGLESv2
# tegra_alone CASE DESKTOP TEGRA SECTION
tegra_alone() {
    expect "desktop $1" 0 "$2" "$vtegra" run --soc desktop -- ./egl_desktop "$1"
    also "desktop $1" "$4"
    expect "orin $1" 0 "$3" "$vtegra" run --soc orin -- ./egl_desktop "$1"
    not_there "orin $1" "$4"
    for soc in drive-px2 drive-pegasus; do # device 0 is the discrete GPU; EGL's display is the integrated one's
        expect "$soc $1" 0 "${5:-$2}" "$vtegra" run --soc $soc -- ./egl_desktop "$1"
        also "$soc $1" "$4"
        expect "$soc $1, the integrated GPU" 0 "$3" env CUDA_VISIBLE_DEVICES=1 "$vtegra" run --soc $soc -- ./egl_desktop "$1"
        not_there "$soc $1, the integrated GPU" "$4"
    done
}
tegra_alone image cudaErrorNotSupported cudaSuccess "CUDA for Tegra 5.2.1"
tegra_alone event_of_sync cudaErrorNotSupported cudaSuccess "CUDA for Tegra 5.3.1"
tegra_alone sync_of_event "extension 0, sync 0 0x3004, cudaErrorNotSupported" "extension 1, sync 1 0x3000, cudaSuccess" \
    "CUDA for Tegra 5.3.1" "extension 1, sync 0 0x3004, cudaErrorNotSupported"
expect "desktop right" 0 "GL reads 60" "$vtegra" run --soc desktop -- ./egl_desktop image right
also "desktop right" "Findings none"
# Streams are as on one GPU.
for case in order pinned released; do
    expect "desktop $case right" 0 "$case cudaSuccess" "$vtegra" run --soc desktop -- ./egl "$case" right
    also "desktop $case right" "Findings none"
done

for case in order second size many written released twice freed rewritten pinned repeated context disconnected discarded second_gpu early; do
    expect "$case right" 0 "$case cudaSuccess" "$vtegra" run --soc orin -- ./egl "$case" right
    also "$case right" "Findings none"
    not_there "$case right" "egl-"
done
finish
