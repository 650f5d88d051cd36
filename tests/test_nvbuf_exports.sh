#!/bin/sh
# SPDX-License-Identifier: MIT
# libnvbufsurface.so and libnvbufsurftransform.so export the functions of Jetson Linux R36.2's headers and nothing else, libnvbuf_utils.so those of
# R32's, and our headers declare them. test_nvbuf_exports.sh LIBNVBUFSURFACE LIBNVBUFSURFTRANSFORM INCLUDE_DIR LIBNVBUF_UTILS
bad=0

# exports LIBRARY HEADER FUNCTION...
exports() {
    library=$1 header=$2
    shift 2
    have=$(nm -D --defined-only "$library" | awk '{ print $3 }' | grep -v '^_' | sort | tr '\n' ' ')
    want=$(printf '%s\n' "$@" | sort | tr '\n' ' ')
    if [ "$have" != "$want" ]; then
        echo "exported: $have"
        echo "expected: $want"
        bad=1
    fi
    for f in "$@"; do
        grep -qE "\b$f\(" "$header" || {
            echo "no header declares $f"
            bad=1
        }
    done
}

exports "$1" "$3/nvbufsurface.h" NvBufSurfaceCreate NvBufSurfaceAllocate NvBufSurfaceDestroy NvBufSurfaceMap NvBufSurfaceUnMap NvBufSurfaceCopy \
    NvBufSurface2Raw Raw2NvBufSurface NvBufSurfaceSyncForCpu NvBufSurfaceSyncForDevice NvBufSurfaceFromFd NvBufSurfaceMemSet \
    NvBufSurfaceMapEglImage NvBufSurfaceUnMapEglImage NvBufSurfaceImport NvBufSurfaceGetMapParams
exports "$2" "$3/nvbufsurftransform.h" NvBufSurfTransformSetSessionParams NvBufSurfTransformGetSessionParams NvBufSurfTransform \
    NvBufSurfTransformComposite NvBufSurfTransformAsync NvBufSurfTransformCompositeAsync NvBufSurfTransformCompositeBlend \
    NvBufSurfTransformMultiInputBufCompositeBlend NvBufSurfTransformMultiInputBufCompositeBlendAsync NvBufSurfTransformSyncObjWait \
    NvBufSurfTransformSyncObjDestroy NvBufSurfTransformSetDefaultSession
exports "$4" "$3/nvbuf_utils.h" NvBufferSyncObjWait NvBufferGetSize NvEGLImageFromFd NvDestroyEGLImage NvBufferCreate NvBufferCreateEx \
    NvBufferCreateInterlace NvBufferCreateWithChromaLoc NvBufferGetParams NvBufferGetParamsEx NvBufferDestroy ExtractFdFromNvBuffer NvReleaseFd \
    NvBufferMemSyncForCpu NvBufferMemSyncForCpuEx NvBufferMemSyncForDevice NvBufferMemSyncForDeviceEx NvBufferMemMap NvBufferMemMapEx \
    NvBufferMemUnMap NvBufferMemUnMapEx NvBuffer2Raw Raw2NvBuffer NvBufferSessionCreate NvBufferSessionDestroy NvBufferTransform \
    NvBufferTransformEx NvBufferTransformAsync NvBufferComposite
exit $bad
