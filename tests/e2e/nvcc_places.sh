#!/bin/sh
# SPDX-License-Identifier: MIT
# The report names the program's own lines and calls, however nvcc links the runtime and makes the launch.
# Usage: nvcc_places.sh BUILD_DIR WORK_DIR; 77: no nvcc
. "$(dirname "$0")/lib.sh"
need_nvcc

# mark NAME: its line in the program
mark() {
    grep -n "MARK $1\$" "$source/nvcc_places.cu" | cut -d: -f1
}
at() {
    echo "e2e/nvcc_places.cu:$(mark "$1") in main"
}

by_nvcc_shared places_shared -g "$source/nvcc_places.cu"
by_nvcc_static places_static -g "$source/nvcc_places.cu"
by_nvcc_static places_fast -O2 -Xcompiler -g -lineinfo "$source/nvcc_places.cu"
for form in shared static fast; do
    expect $form 0 cudaErrorIllegalAddress "$vtegra" run --soc orin --trace $form.trace -- ./places_$form
    also $form "cudaMalloc at $(at alloc)"
    also $form "error: cudaMemcpy of 1048580 bytes ends 4 bytes behind the end of the buffer where $(at overrun)"
    also $form "1.0 MiB in 1 call of cudaMemcpy at $(at copy)"
    also $form "1.0 MiB in 1 call of cudaMemcpyAsync at $(at async)"
    also $form "512 B in 1 call of cudaMemcpy2D at $(at rows)"
    also $form "4 B in 1 call of cudaMemcpyToSymbol at $(at symbol)"
    also $form "cudaMemcpy copied 1.0 MiB"
    also $form "error: cudaMemset of 1048580 bytes"
    also $form "where $(at fill)"
    not_there $form "cuMemcpyDtoH"
    not_there $form "tmpxft"
    not_there $form "cudart/"
    for kernel in plain typed hidden fault; do
        tests=$((tests + 1))
        grep "^@kernel" $form.trace | grep -qF "where=\"$(at $kernel)\"" || fail "$form: no launch at $(at $kernel)"
    done
done

[ -z "$sanitized" ] || finish # hooks and sanitizers do not share a program
# Of a program that is in part nvcc's, and has no hooks there: the file's own name.
build hooked.o "$vtegra" cc --track -g -c "$source/nvcc_places_main.cpp"
build part.o "$nvcc" -g -c "$source/nvcc_places_part.cu"
by_clang places_mixed --track hooked.o part.o
expect mixed 0 "sum 32" "$vtegra" run -- ./places_mixed
also mixed "of places_mixed e2e/nvcc_places_part.cu"
not_there mixed "tmpxft"
not_there mixed "link.stub"

# nvcc as the linker of objects with hooks (docs/build.md, Both): its own error names the library, and with the line of the
# page the program has the same accesses.
expect forgotten 1 "lvtegra_track" "$nvcc" hooked.o part.o -o places_forgotten
build places_nvcc "$nvcc" -cudart shared hooked.o part.o -L"$lib" -lvtegra_track \
    -Xlinker --export-dynamic-symbol=vtegra_track_object -Xcompiler "@$lib/vtegra_track.wrap"
expect linked 0 "sum 32" "$vtegra" run -- ./places_nvcc
also linked "exact for code with compiler hooks only"
also linked "of places_nvcc e2e/nvcc_places_part.cu"
also linked "nvcc_places_main.cpp:$(grep -n 'sum += p' "$source/nvcc_places_main.cpp" | cut -d: -f1) in main"

# Headers that NVIDIA's toolkit for x86 lacks, without those that it has.
cat >extra.cpp <<'EOF'
#include <cuda.h>
#include <cuda_runtime.h>
#include <cudla.h>
#include <nvbufsurface.h>
#include <nvmedia_2d_sci.h>
#include <nvscibuf.h>
#include <nvscisync.h>
int main()
{
    NvSciSyncAttrKeyValuePair pair[2];
    memset(pair, 0, sizeof(pair)); // NVIDIA's samples have it of these headers
    cudlaDevHandle handle;
    return (int)cudlaCreateDevice(0, &handle, CUDLA_STANDALONE);
}
EOF
[ ! -e "$lib/../share/vtegra/nvcc/cuda.h" ] || fail "share/vtegra/nvcc has a header of the toolkit"
expect headers 0 "" "$nvcc" -I"$lib/../share/vtegra/nvcc" extra.cpp -L"$lib" -lcudla -o extra
finish
