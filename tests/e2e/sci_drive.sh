#!/bin/sh
# SPDX-License-Identifier: MIT
# sci_drive.sh BUILD_DIR WORK_DIR: NvSciBuf and NvSciSync between the two GPUs of a DRIVE.
. "$(dirname "$0")/lib.sh"
by_clang sci_drive -g -O1 "$source/sci_drive.cu" -lnvscibuf -lnvscisync
refused="reconciliation: NvSciError_ReconciliationFailed"
for how in "drive-pegasus lazy" "drive-pegasus eager" "drive-pegasus seeded"; do
    # shellcheck disable=SC2086
    set -- $how
    # Without a wish the integrated GPU caches system memory, and the discrete one does not (Table 1).
    expect "there, $how" 0 "EnableGpuCache: dGPU 0 iGPU 1
GpuSwNeedCacheCoherency: dGPU 0 iGPU 1
1 to 0: 0 wrong" "$vtegra" run --soc "$1" --policy "$2" --report report -- ./sci_drive there
    cat report >>out
    also "there, $how" "Findings
  none"
    expect "back, $how" 0 "0 to 1: 0 wrong" "$vtegra" run --soc "$1" --policy "$2" -- ./sci_drive back
    # nvscibuf.h: true for a GPU that caches, if another GPU does not, or the CPU or an engine has access.
    expect "cached by both, $how" 0 "EnableGpuCache: dGPU 1 iGPU 1
GpuSwNeedCacheCoherency: dGPU 0 iGPU 0
0 to 1: 0 wrong" "$vtegra" run --soc "$1" --policy "$2" -- ./sci_drive cached
    expect "VidMem, $how" 0 "EnableGpuCache: dGPU 1
GpuSwNeedCacheCoherency: dGPU 0
bytes of the discrete GPU: 1
device 0
last 1024
import there: cudaErrorInvalidValue" "$vtegra" run --soc "$1" --policy "$2" -- ./sci_drive vidmem
    for case in vidmem_media vidmem_cpu vidmem_two vidmem_igpu; do
        expect "$case, $how" 0 "$refused" "$vtegra" run --soc "$1" --policy "$2" -- ./sci_drive $case
    done
done
# The CUDA of DRIVE PX 2 has no NvSci (CUDA 10.2, DRIVE AGX).
expect "PX 2" 2 "gives 801" "$vtegra" run --soc drive-px2 -- ./sci_drive there
finish
