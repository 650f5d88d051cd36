#!/bin/sh
# SPDX-License-Identifier: MIT
# A surface that is mapped anew for each frame: right, it is silent; without NvBufSurfaceSyncForCpu() the second frame has the first one's bytes.
# Usage: nvbuf_remapped.sh BUILD_DIR WORK_DIR
. "$(dirname "$0")/lib.sh"
by_clang nvbuf_remapped --track -g -O1 "$source/nvbuf_remapped.cu" -lnvbufsurftransform -lnvbufsurface
for soc in tx2 xavier orin; do
    for policy in lazy eager seeded; do
        expect "$soc, $policy" 0 "0 of 3 frames wrong" "$vtegra" run --soc $soc --policy $policy -- ./nvbuf_remapped
        also "$soc, $policy" "Findings none"
    done
done
for soc in tx2 xavier; do
    expect "unsynced, $soc" 1 "2 of 3 frames wrong" "$vtegra" run --soc $soc -- ./nvbuf_remapped unsynced
    also "unsynced, $soc" "rule stale-cpu-invalidate-missing ("
done
finish
