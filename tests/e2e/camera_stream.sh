#!/bin/sh
# SPDX-License-Identifier: MIT
# The camera as producer of an EGLStream: the same frames, in time, dropped and again, under each policy.
# Usage: camera_stream.sh BUILD_DIR WORK_DIR
. "$(dirname "$0")/lib.sh"
unset VTEGRA_CAMERA
by_clang camera_stream --track -g -O1 "$source/camera_stream.cu" -lvtegra-camera -lcuda -lEGL
for soc in tx2 xavier orin; do
    for policy in lazy eager seeded; do
        name="$soc, $policy"
        expect "$name" 0 "0 wrong" "$vtegra" run --soc $soc --policy $policy --camera pattern:64x64@1000 -- ./camera_stream
        also "$name" "frame 2, fresh"
        also "$name" "frames dropped"
        also "$name" "again the same"
        also "$name" "got frame"
    done
done
expect "no camera" 2 "this board has no camera" "$vtegra" run -- ./camera_stream
finish
