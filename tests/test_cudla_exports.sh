#!/bin/sh
# SPDX-License-Identifier: MIT
# libcudla.so.1 exports the functions of NVIDIA's reference (cuDLA 1.4: sixteen) and the one that its profiling samples ask for,
# each without a symbol version, and cudla.h declares the sixteen. Zeros in every argument are answered without a crash.
# test_cudla_exports.sh LIBRARY HEADER [CC]
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
[ -n "${3:-}" ] || exit $bad
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
{
    for f in $functions cudlaGetExternalExportTable; do
        echo "int $f(long, long, long, long, long);"
    done
    echo 'int main(void) {'
    for f in $functions cudlaGetExternalExportTable; do
        echo "if ($f(0, 0, 0, 0, 0) == 0) return 1;"
    done
    echo 'return 0; }'
} >"$work/zeros.c"
"$3" -o "$work/zeros" "$work/zeros.c" "$1" -Wl,-rpath,"$(dirname "$1")" || exit 1
VTEGRA_REPORT=/dev/null "$work/zeros" || {
    echo "zeros: exit status $?" # 1: one of them succeeded
    bad=1
}
exit $bad
