#!/bin/sh
# SPDX-License-Identifier: MIT
# drive_advice.sh BUILD_DIR WORK_DIR: what transfers to the discrete GPU cost (CUDA for Tegra 3.4). 4 MiB and back at 20 GB/s are 419.4 us.
. "$(dirname "$0")/lib.sh"
by_clang drive_advice -g -O1 "$source/drive_advice.cu"
expect "one short kernel" 0 "1.0" "$vtegra" run --soc drive-pegasus --report report -- ./drive_advice short
cat report >>out
also "one short kernel" "4.0 MiB go to the discrete GPU and 4.0 MiB come back: 419.4 us on the link."
also "one short kernel" "CUDA for Tegra 3.4"
expect "a long one" 0 "2.0" "$vtegra" run --soc drive-pegasus --report report -- ./drive_advice long
cat report >>out
not_there "a long one" "go to the discrete GPU"
# vtegra advise has figures of the integrated GPU's memory alone.
expect "advise" 0 "of the discrete GPU: not compared" "$vtegra" advise --soc drive-pegasus -- ./drive_advice short
not_there "advise" "pinned would save"
CUDA_VISIBLE_DEVICES=1
export CUDA_VISIBLE_DEVICES
expect "on the integrated GPU" 0 "1.0" "$vtegra" run --soc drive-pegasus --report report -- ./drive_advice short
cat report >>out
not_there "on the integrated GPU" "go to the discrete GPU"
finish
