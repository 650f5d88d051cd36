#!/bin/sh
# SPDX-License-Identifier: MIT
# Thrust and CUB of the toolkit. Usage: thrust.sh BUILD_DIR WORK_DIR; 77: no nvcc
. "$(dirname "$0")/lib.sh"
need_nvcc
by_nvcc_shared thrust --extended-lambda "$source/thrust.cu"
for soc in tx2 orin thor; do
    expect "Thrust, $soc" 0 "thrust: 0 wrong, reduce right" "$vtegra" run -q --soc $soc -- ./thrust
done
expect "check-app" 0 "can run" "$vtegra" check-app ./thrust
finish
