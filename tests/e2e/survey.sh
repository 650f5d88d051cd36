#!/bin/sh
# SPDX-License-Identifier: MIT
# vtegra survey: programs of one file and of several, and each way not to pass. Usage: survey.sh BUILD_DIR WORK_DIR
. "$(dirname "$0")/lib.sh"
rm -rf samples && mkdir -p samples/good samples/two samples/none "samples/a b"
cat >samples/good/one.cu <<'CODE'
#include <cstdio>
__global__ void k(int *v) { *v = 5; }
int main()
{
    int *d, h = 0;
    cudaMalloc(&d, 4);
    k<<<1, 1>>>(d);
    cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);
    FILE *f = fopen("beside.txt", "r");
    return h == 5 && f ? 0 : 1;
}
CODE
echo data >samples/good/beside.txt
printf 'int two();\nint main() { return two(); }\n' >samples/two/main.cu
echo 'int two() { return cudaFree(nullptr); }' >samples/two/two.cu
echo '__global__ void only() { }' >samples/none/library.cu
echo 'int main() { return 2; }' >"samples/a b/waives.cu"
echo 'int main() { return nothing; }' >"samples/a b/wrong.cu"
echo 'int main() { for (;;) { } }' >"samples/a b/spins.cu"
echo 'int main() { return cudaDeviceSetLimit((cudaLimit)99, 1) ? 3 : 0; }' >"samples/a b/fails.cu"
cat >"samples/a b/illegal.cu" <<'CODE'
__global__ void k(int *v) { *v = 5; }
int main() { k<<<1, 1>>>(nullptr); return cudaDeviceSynchronize() ? 1 : 0; }
CODE

forms=--cc
[ -z "$nvcc" ] || [ -n "$sanitized" ] || forms="--cc --soc=orin"
for form in $forms; do
    expect $form 0 "2 of 7 pass, 1 waives itself, 2 fails, 1 not ended, 1 not built" "$vtegra" survey "$form" --seconds 8 samples
    also $form "good/one pass"
    also $form "two/main pass"
    also $form "a b/waives waives itself exit status 2"
    also $form "a b/spins not ended 8 s"
    also $form "a b/fails fails exit status 3"
    also $form "a b/illegal fails vtegra: error:"
    also $form "a b/wrong not built error:"
    not_there $form "none/library"
done
expect markdown 0 "| one | pass |  |" "$vtegra" survey --cc --markdown samples/good
expect flags 0 "not built" "$vtegra" survey --cc samples/two -- --no-such-flag
expect none 2 "no .cu file with a main()" "$vtegra" survey --cc samples/none
expect missing 2 "No such file" "$vtegra" survey --cc samples/missing
expect usage 2 "which folder?" "$vtegra" survey
expect seconds 2 "at least 1" "$vtegra" survey --seconds 0 samples
expect no_nvcc 125 "no nvcc in PATH" env PATH=/nowhere "$vtegra" survey samples
finish
