#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# DMA follows QEMU's SMMUv3: new mappings, none, read-only ones, with the caches observed and without. Usage: iommu.sh SOURCE
# BUILD QEMU
. "$(dirname "$0")/vm.sh"

for arguments in soc=orin soc=tx2,cpu=off soc=orin,policy=lazy; do
    machine=,iommu=smmuv3 vm remap "$arguments" -device vtegra ||
        fail "$arguments: status $?: $(cat "$work/console" "$work/err")"
done
[ -z "$failed" ]
