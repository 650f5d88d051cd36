#!/bin/sh
# SPDX-License-Identifier: MIT
# far.sh BUILD_DIR WORK_DIR: EGLStreams with their ends on two GPUs (CUDA for Tegra 5.1.5), and answers of NVIDIA's driver about them.
here=$(cd "$(dirname "$0")" && pwd)
[ -e "$1/lib/libEGL_vtegra.so.0" ] || { echo "skipped: no EGL in this build (scripts/install-deps.sh)"; exit 77; }
ldconfig -p 2>/dev/null | grep -q libEGL_mesa.so.0 || { echo "skipped: no libegl-mesa0 (scripts/install-deps.sh)"; exit 77; }
. "$here/../e2e/lib.sh"
by_clang far -g -O1 "$here/far.cu" -lEGL -lGLESv2
for how in "drive-pegasus lazy" "drive-px2 eager" "drive-pegasus seeded"; do
    # shellcheck disable=SC2086
    set -- $how
    # A frame of 8192 bytes, 36 of them, over the link.
    for ends in "0 1" "1 0"; do
        for case in frames planes; do
            # shellcheck disable=SC2086
            expect "$case $ends, $how" 0 "36 frames, 0 wrong" "$vtegra" run --soc "$1" --policy "$2" --report report -- ./far $ends $case
            cat report >>out
            also "$case $ends, $how" "is copied over the link"
        done
        # shellcheck disable=SC2086
        expect "array $ends, $how" 0 "present: cudaErrorNotSupported, state 0x3217" "$vtegra" run --soc "$1" --policy "$2" -- ./far $ends array
        # shellcheck disable=SC2086
        expect "managed $ends, $how" 0 "present: cudaErrorNotSupported, state 0x3217" \
            "$vtegra" run --soc "$1" --policy "$2" -- ./far $ends managed
    done
    for ends in "0 0" "1 1"; do # one GPU: nothing is copied
        # shellcheck disable=SC2086
        expect "frames $ends, $how" 0 "36 frames, 0 wrong" "$vtegra" run --soc "$1" --policy "$2" --report report -- ./far $ends frames
        cat report >>out
        not_there "frames $ends, $how" "is copied over the link"
    done
    for ends in "0 1" "1 0" "0 0"; do # the producer in a second process
        # shellcheck disable=SC2086
        expect "two processes $ends, $how" 0 "12 frames, 0 wrong, status 0" \
            "$vtegra" run --shared --soc "$1" --policy "$2" -- ./far $ends two
    done
    expect "the discrete GPU draws for OpenGL, $how" 0 "pixel right" "$vtegra" run --soc "$1" --policy "$2" -- ./far 0 1 gl
    expect "so does the integrated one, $how" 0 "pixel right" "$vtegra" run --soc "$1" --policy "$2" -- ./far 1 1 gl
done
# DRIVE 5.0 Linux SDK Development Guide, Tegra to dGPU Communication; DriveWorks SDK reference, Choosing the GPU for Execution.
expect "EGL's devices" 0 "device 0: CUDA device 1, EGL 1.5, configurations, streams yes, context yes
device 1: CUDA device 0, EGL 1.5, no configuration, streams yes, context no" "$vtegra" run --soc drive-pegasus -- ./far 0 1 devices
for gpu in 0 1; do
    expect "OpenGL's objects, GPU $gpu current" 0 "OpenGL: 1 device, 1
byte 7
the other GPU: map cudaErrorInvalidResourceHandle, pointer cudaErrorNotMapped, unmap cudaErrorInvalidResourceHandle, unregister cudaSuccess" \
        "$vtegra" run --soc drive-pegasus -- ./far $gpu 1 objects
done
expect "OpenGL's GPU is hidden" 2 "cudaGLGetDevices(&n, &gpu, 1, cudaGLDeviceListAll): 100" \
    env CUDA_VISIBLE_DEVICES=0 "$vtegra" run --quiet --soc drive-pegasus -- ./far 0 0 objects
CUDA_VISIBLE_DEVICES=1
export CUDA_VISIBLE_DEVICES
expect "EGL's devices, one hidden" 0 "device 0: CUDA device 0, EGL 1.5, configurations, streams yes, context yes
device 1: CUDA device -1, EGL 1.5, no configuration, streams yes, context no" "$vtegra" run --soc drive-pegasus -- ./far 0 0 devices
unset CUDA_VISIBLE_DEVICES
by_clang egl_peer_codes -g -O1 "$here/../golden/gen/egl_peer_codes.cpp" -lcuda -lEGL
expect "answers of NVIDIA's driver" 0 "" sh -c '"$1" run --shared --soc drive-pegasus --quiet -- ./egl_peer_codes >codes.txt
    exec "$2/../api/compare_rows.sh" "$3/gen/egl_peer_codes.txt" codes.txt "$2/egl_peer_codes.differences"' sh "$vtegra" "$here" "$golden"
finish
