#!/bin/sh
# SPDX-License-Identifier: MIT
# Our headers for kernels against NVIDIA's: the .golden files are what nvcc 13.0's headers print under `vtegra run`; where
# nvcc is installed and long is given, they are made again. Usage: device_headers.sh BUILD_DIR WORK_DIR [long]
. "$(dirname "$0")/lib.sh"
here=$source/device_headers

# Not $name, which expect() sets.
for kernel in $(some 2 random groups small_float); do
    extra=
    [ $kernel = small_float ] && extra=-DHOST
    by_clang $kernel --arch sm_87 $extra "$here/$kernel.cu"
    expect "$kernel" 0 "" "$vtegra" run -q --soc orin --check off -- ./$kernel
    cmp -s out "$here/$kernel.golden" || { diff out "$here/$kernel.golden" | head -4; fail "$kernel differs from NVIDIA's headers"; }
    if [ "$3" = long ] && [ -n "$nvcc" ]; then
        by_nvcc_shared nvcc_$kernel -w -arch=sm_87 "$here/$kernel.cu"
        expect "$kernel by nvcc" 0 "" "$vtegra" run -q --soc orin --check off -- ./nvcc_$kernel
        cmp -s out "$here/$kernel.golden" || fail "$kernel.golden is not what nvcc gives"
    fi
done

# Also for the oldest GPU: the host compiler's half of the headers is the same.
[ "$thorough" != long ] || "$vtegra" cc -c --soc nano "$here/random.cu" -o old.o || fail "random.cu for sm_53"

# The table of jumps is the one that its script makes.
if command -v python3 >/dev/null; then
    python3 "$here/jumps.py" >jumps.h
    clang-format-19 --style="file:$source/../../.clang-format" jumps.h >jumps_formatted.h 2>/dev/null || cp jumps.h jumps_formatted.h
    cmp -s jumps_formatted.h "$lib/../include/vtegra/curand_jumps.h" || cmp -s jumps.h "$lib/../include/vtegra/curand_jumps.h" ||
        fail "curand_jumps.h is not what jumps.py makes"
fi

# NVIDIA's C++ libraries of Debian, where they are installed; else the line that says how to get them.
if [ -e /usr/include/cuda/atomic ]; then
    by_clang libcudacxx --arch sm_87 "$here/libcudacxx.cu"
    expect "cuda::atomic and cuda::std" 0 "" "$vtegra" run -q --soc orin --check off -- ./libcudacxx
else
    expect "no libcu++" 1 "apt-get install libcu++-dev" "$vtegra" cc -c "$here/libcudacxx.cu" -o none.o
fi
printf '#include <cudnn.h>\n' >library.cu
expect "a library's header" 1 "need nvcc" "$vtegra" cc -c library.cu -o none.o
for header in Argus/Argus.h EGLStream/EGLStream.h; do
    echo "#include <$header>" >absent.cu
    expect "$header" 1 "docs/egl.md says what takes its place" "$vtegra" cc -c absent.cu -o none.o
done
finish
