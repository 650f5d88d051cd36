#!/bin/sh
# SPDX-License-Identifier: MIT
# kernel_language.sh INCLUDE FILE.cu: clang compiles the kernel language with no SDK, for each Tegra with a GPU that it
# knows, and asks for no function but __nv_* mathematics and the four calls every CUDA device has.
set -e
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
flags="-x cuda -std=c++17 -O2 -Wall -Wextra -Werror --cuda-path=/nonexistent -nocudainc -nocudalib
    -Xclang -target-sdk-version=12.3 -I$1 -include cuda_runtime.h"
for sm in 53 62 72 87; do
    # shellcheck disable=SC2086
    "${CLANG:-clang-19}" $flags --cuda-gpu-arch=sm_$sm --cuda-feature=+ptx83 --cuda-device-only -S "$2" -o "$dir/$sm.ptx"
    grep '^\.extern \.func' "$dir/$sm.ptx" | sed 's/.* //' | grep -Ev '^(__nv_.*|vprintf|malloc|free|__assertfail)$' && {
        echo "sm_$sm: unknown device functions"
        exit 1
    }
done
grep -q 'atom.sys' "$dir/72.ptx" || { echo "no system-scope atomic for sm_72"; exit 1; }
# shellcheck disable=SC2086
"${CLANG:-clang-19}" $flags --cuda-gpu-arch=sm_87 --cuda-host-only -c "$2" -o "$dir/host.o"
