#!/bin/sh
# SPDX-License-Identifier: MIT
# The VIC's formats of YUV under NvBufSurfTransform: from 4:4:4 to each and back, the bytes as computed by hand.
# Usage: nvbuf_formats.sh BUILD_DIR WORK_DIR
. "$(dirname "$0")/lib.sh"
"${CC:-cc}" -g -I"$source/../../include" "$source/nvbuf_formats.c" -o nvbuf_formats -L"$lib" -lnvbufsurftransform -lnvbufsurface \
    -Wl,-rpath-link,"$lib" || exit 1
for soc in tx2 xavier orin; do
    expect "$soc" 0 "formats: 0 wrong" "$vtegra" run --soc $soc -- ./nvbuf_formats
    also "$soc" "Findings none"
done
finish
