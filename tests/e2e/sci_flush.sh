#!/bin/sh
# SPDX-License-Identifier: MIT
# CpuNeedSwCacheCoherency (DRIVE OS API reference): what the CPU has to flush before it signals, and which lines it forgot.
# Usage: sci_flush.sh BUILD_DIR WORK_DIR
. "$(dirname "$0")/lib.sh"
[ "$source/../../scenarios/sci/sci.h" -nt sci_flush ] && rm -f sci_flush
by_clang sci_flush --track -g -O1 "$source/sci_flush.cu" -lnvscisync -lnvscibuf -lnvsciipc
line=$(grep -n "MARK signal" "$source/sci_flush.cu" | cut -d: -f1)

for how in flushed other; do
    expect $how 0 "" "$vtegra" run --soc orin -- ./sci_flush $how
    also $how "Findings none"
done
expect forgotten 0 "" "$vtegra" run --soc orin -- ./sci_flush forgotten
also forgotten "rule sci-flush-missing"
also forgotten "2 dirty lines in bytes 128 to 255 of 4096"
also forgotten "sci_flush.cu:$line"
also forgotten "NvSciBufObjFlushCpuCacheRange()"
expect partly 0 "" "$vtegra" run --soc orin -- ./sci_flush partly
also partly "rule sci-flush-missing"
also partly "3 dirty lines in bytes 3904 to 4095 of 4096"
# An engine that looks into the CPU's caches needs no flush.
expect coherent 0 "" "$vtegra" run --soc orin -- ./sci_flush forgotten coherent
also coherent "Findings none"
finish
