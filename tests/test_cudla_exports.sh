#!/bin/sh
# SPDX-License-Identifier: MIT
# libcudla.so.1 exports the functions of NVIDIA's reference (cuDLA 1.4: sixteen) and the one that its profiling samples ask for,
# each without a symbol version, and cudla.h declares the sixteen. test_cudla_exports.sh LIBRARY HEADER
functions="cudlaCreateDevice cudlaDestroyDevice cudlaDeviceGetAttribute cudlaDeviceGetCount cudlaGetLastError
cudlaGetNvSciSyncAttributes cudlaGetVersion cudlaImportExternalMemory cudlaImportExternalSemaphore cudlaMemRegister
cudlaMemUnregister cudlaModuleGetAttributes cudlaModuleLoadFromMemory cudlaModuleUnload cudlaSetTaskTimeoutInMs
cudlaSubmitTask"
bad=0
have=$(nm -D --defined-only "$1" | awk '{ print $3 }' | grep -v '^_' | sort | tr '\n' ' ')
want=$(printf '%s\n' $functions cudlaGetExternalExportTable | sort | tr '\n' ' ')
if [ "$have" != "$want" ]; then
    echo "exported: $have"
    echo "expected: $want"
    bad=1
fi
for f in $functions; do
    grep -q "CUDLA_API cudlaStatus $f(" "$2" || {
        echo "$2 does not declare $f"
        bad=1
    }
done
exit $bad
