#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Four CPUs, each in a thread of QEMU's, on tracked memory while engines copy it: no store is lost. Usage: smp.sh SOURCE
# BUILD QEMU
. "$(dirname "$0")/vm.sh"

for arguments in soc=tx2,evict=never soc=tx2,evict=seeded soc=orin,policy=lazy; do
    vm smp "$arguments,platform=on" -smp 4 -accel tcg,thread=multi ||
        fail "$arguments: status $?: $(cat "$work/console" "$work/err")"
done
[ -z "$failed" ]
