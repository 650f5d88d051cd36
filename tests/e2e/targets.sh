#!/bin/sh
# SPDX-License-Identifier: MIT
# What vtegra cc builds for, and what a board does with it: the newest PTX that is not above its compute capability
# (CUDA C++ Programming Guide, "PTX Compatibility"), else cudaErrorNoKernelImageForDevice, 209.
# Usage: targets.sh BUILD_DIR WORK_DIR
. "$(dirname "$0")/lib.sh"
one_target= # all, as for a user
by_clang all "$source/targets.cu"
# Compute capabilities: https://developer.nvidia.com/cuda-gpus. Thor, 11.0, is none that clang 19 knows.
while read -r soc arch volta; do
    expect "$soc" 0 "arch $arch twice $((2 * arch)) volta $volta code 0 pass host" "$vtegra" run --soc "$soc" -- ./all
    not_there "$soc has its own code" "The program's PTX is for"
done <<END
nano 530 0
tx2 620 0
xavier 720 1
orin 870 1
thor 870 1
END

# Two GPUs: each has the newest PTX for itself, whichever the program uses first.
by_clang each "$source/targets_each.cu"
while read -r soc visible first second; do
    expect "$soc, $visible" 0 "device 0: $((first * 10 + 5)) of $first, cudaSuccess
device 1: $((second * 10 + 5)) of $second, cudaSuccess
device 0: $((first * 10)) of $first, cudaSuccess
device 1: $((second * 10 + 1)) of $second, cudaSuccess" env CUDA_VISIBLE_DEVICES="$visible" "$vtegra" run --soc "$soc" -- ./each
    not_there "$soc, $visible has its own code" "The program's PTX is for"
done <<END
drive-px2 0,1 53 62
drive-px2 1,0 62 53
drive-pegasus 0,1 72 72
END
# What suits one GPU alone is reported when the other one is used.
by_clang newer "$source/targets_each.cu" --arch sm_75
expect "PTX of one GPU" 0 "device 1: 755 of 75, cudaSuccess" "$vtegra" run --soc drive-pegasus --report report -- ./newer
cat report >>out
also "PTX of one GPU" "sm_75. This model runs it; the board, sm_72, does not"

by_clang only "$source/targets.cu" --soc orin
expect "older board" 0 "arch 0 twice 0 volta 0 code 209" "$vtegra" run --soc xavier -- ./only
also "what is wrong" "PTX is for sm_87 and newer, the board is sm_72"
also "what mends it" "vtegra cc --soc xavier"
tests=$((tests + 1))
[ "$(grep -c '^vtegra: error:' out)" = 1 ] || fail "one message: $(cat out)"
expect "newer board" 0 "arch 870" "$vtegra" run --soc thor -- ./only

by_clang two "$source/targets.cu" --soc orin,tx2
expect "list, tx2" 0 "arch 620" "$vtegra" run --soc tx2 -- ./two
expect "list, xavier" 0 "arch 620" "$vtegra" run --soc xavier -- ./two
expect "list, orin" 0 "arch 870" "$vtegra" run --soc orin -- ./two

expect "thor is not known to clang" 0 "clang 19 has no sm_110, which thor is: PTX for sm_90" \
    "$vtegra" cc --soc thor "$source/targets.cu" -o thor
expect "thor" 0 "arch 900" "$vtegra" run --soc thor -- ./thor

# sm_53 cannot do it: left out, and said. Without a choice it is an error.
expect "left out" 0 "does not compile for sm_53" "$vtegra" cc -DNEEDS_ATOMIC_DOUBLE "$source/targets.cu" -o double
not_there "what was left out does not count as an error" "error:"
expect "from sm_62 on" 0 "arch 620" "$vtegra" run --soc tx2 -- ./double
expect "asked for" 1 "error:" "$vtegra" cc --soc nano -DNEEDS_ATOMIC_DOUBLE "$source/targets.cu" -o none

echo 'int main() { return nothing; }' >wrong.cu
expect "wrong for all" 1 "undeclared identifier 'nothing'" "$vtegra" cc wrong.cu -o none
tests=$((tests + 1))
[ "$(grep -c 'error:' out)" = 1 ] || fail "an error is printed once: $(cat out)"
echo '__global__ void k() { int unused; } int main() { }' >warns.cu
expect "warning" 0 "unused variable" "$vtegra" cc -Wall -c warns.cu -o warns.o
tests=$((tests + 1))
[ "$(grep -c 'warning:' out)" -le 2 ] || fail "one warning of a device pass, one of the host's: $(cat out)"
expect "text has one target" 0 "" "$vtegra" cc -S --cuda-device-only "$source/targets.cu" -o k.ptx
expect "orin's" 0 ".target sm_87" cat k.ptx
finish
