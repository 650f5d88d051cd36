#!/bin/sh
# SPDX-License-Identifier: MIT
# The camera as signaller of an NvSciSyncObj: the same frames under each policy; without the wait for its fences a race in every run.
# Usage: camera_sci.sh BUILD_DIR WORK_DIR
. "$(dirname "$0")/lib.sh"
unset VTEGRA_CAMERA
by_clang camera_sci --track -g -O1 "$source/camera_sci.cu" -lvtegra-camera -lnvscibuf -lnvscisync -lcuda
for soc in xavier orin; do
    for policy in lazy eager seeded; do
        expect "$soc, $policy" 0 "0 wrong" "$vtegra" run --soc $soc --policy $policy --camera pattern:64x64@1000 -- ./camera_sci
        also "$soc, $policy" "Findings none"
    done
    expect "early, $soc" 1 "" "$vtegra" run --soc $soc --camera pattern:64x64@1000 -- ./camera_sci early
    also "early, $soc" "Race: write by vtegraCameraSciQueue (no stream) and read by kernel compare"
    also "early, $soc" "Signal a sync object behind the write"
done
expect "no camera" 2 "this board has no camera" "$vtegra" run -- ./camera_sci
expect "no NvSciSync" 2 "NvSciSync in CUDA starts with Volta" "$vtegra" run --soc tx2 --camera pattern:64x64@1000 -- ./camera_sci
finish
