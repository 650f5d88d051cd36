#!/bin/sh
# SPDX-License-Identifier: MIT
# The camera in one process, its consumer in another: frames come in their order and whole.
# Usage: camera_two.sh BUILD_DIR WORK_DIR
. "$(dirname "$0")/lib.sh"
unset VTEGRA_CAMERA
ldconfig -p 2>/dev/null | grep -q libEGL_mesa.so.0 || { echo "skipped: no libegl-mesa0 (scripts/install-deps.sh)"; exit 77; }
by_clang camera_two --track -g -O1 "$source/camera_two.cu" -lvtegra-camera -lcuda -lEGL
for soc in tx2 xavier orin; do
    for policy in lazy eager "seeded --seed 1" "seeded --seed 7"; do
        # shellcheck disable=SC2086 # words
        expect "$soc, $policy" 0 "6 frames in their order, 0 wrong" timeout 60 "$vtegra" run --shared --soc $soc --policy $policy \
            --camera pattern:64x64@1000 -- ./camera_two
        also "$soc, $policy" "Findings none"
        not_there "$soc, $policy" "error:"
    done
done
finish
