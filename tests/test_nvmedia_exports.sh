#!/bin/sh
# SPDX-License-Identifier: MIT
# libnvmedia2d.so.1 exports the functions of the DRIVE OS API reference 6.0.10 (NvMedia 2D) and nothing else, and its headers declare
# them. test_nvmedia_exports.sh LIBRARY INCLUDE_DIR
functions="Compose ComputeFilterCoefficients10Tap ComputeFilterCoefficients5Tap Create CreateFilterBuffer Destroy DestroyFilterBuffer
FillNvSciBufAttrList FillNvSciSyncAttrList GetComposeParameters GetEOFNvSciSyncFence GetVersion InsertPreNvSciSyncFence
RegisterNvSciBufObj RegisterNvSciSyncObj SetDstNvSciBufObj SetFilterBuffer SetNvSciSyncObjforEOF SetSrcBlendMode SetSrcFilter
SetSrcGeometry SetSrcNvSciBufObj UnregisterNvSciBufObj UnregisterNvSciSyncObj"
bad=0
have=$(nm -D --defined-only "$1" | awk '{ print $3 }' | grep -v '^_' | sort | tr '\n' ' ')
want=$(printf 'NvMedia2D%s\n' $functions | sort | tr '\n' ' ')
if [ "$have" != "$want" ]; then
    echo "exported: $have"
    echo "expected: $want"
    bad=1
fi
for f in $functions; do
    grep -qE "\bNvMedia2D$f\(" "$2/nvmedia_2d.h" "$2/nvmedia_2d_sci.h" || {
        echo "no header declares NvMedia2D$f"
        bad=1
    }
done
exit $bad
