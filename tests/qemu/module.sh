#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The example kernel module (qemu-plugin/module) on a board that is not coherent: right with all its calls of the DMA API,
# and where one is left out the bytes are old and the report names the call and the line. Where the device tree says
# dma-coherent, Linux does no maintenance, and the same right module is wrong. Usage: module.sh SOURCE BUILD QEMU
set -u
source=$1
build=$2
qemu=$3
guest=${GUEST:-$source/build/guest}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export VTEGRA_PROFILES="$source/profiles"
failed=

skip() {
    echo "skipped: $*"
    exit 77
}

fail() {
    echo "FAILED: $*"
    failed=1
}

command -v fdtput >/dev/null || skip "no fdtput (package device-tree-compiler)"
"$source/qemu-plugin/guest/make.sh" "$guest" || skip "no guest"
"$source/qemu-plugin/module/build.sh" "$source/qemu-plugin/module" "$guest" || skip "no kernel headers"

# QEMU's own device tree says that PCI is coherent, that of 10.0 says it of the whole machine; TX2's says neither.
"$qemu" -M "virt,gic-version=3,iommu=smmuv3,dumpdtb=$work/tx2.dtb" -cpu cortex-a57 -m 1G -nic none -display none >"$work/dump" 2>&1
fdtput -d "$work/tx2.dtb" /pcie@10000000 dma-coherent || fail "no device tree without dma-coherent: $(cat "$work/dump")"
fdtput -d "$work/tx2.dtb" / dma-coherent 2>/dev/null

# lessons VALUES QEMU_ARGUMENTS: one boot, the module with each value of skip; its lines in $work/lines, the report in $work/report
lessons() {
    BUILD=$build GUEST=$guest QEMU=$qemu RUNTIME=/nonexistent "$source/qemu-plugin/guest/run.sh" --soc tx2 \
        --plugin "report=$work/report,elf=$guest/module/vtegra_copy.ko" --file "$guest/module/vtegra_copy.ko" --qemu "$2" \
        --file "$source/qemu-plugin/module/take.sh" -- "sh take.sh" "for skip in $1; do insmod vtegra_copy.ko skip=\$skip; rmmod vtegra_copy; done" 'dmesg | grep vtegra_copy' \
        >"$work/lines" 2>&1 || fail "skip=$1: $(cat "$work/lines")"
}

# expect FILE TEXT WHEN
expect() {
    grep -q -- "$2" "$work/$1" || fail "$3: no \"$2\" in: $(cat "$work/$1")"
}

lessons "0 1 2" "-dtb $work/tx2.dtb"
expect lines 'skip=0: 0 of 2048 words wrong, 0 findings' 'with all calls'
expect lines 'skip=1: 2048 of 2048 words wrong, 1 findings' 'without dma_sync_single_for_device()'
expect lines 'skip=2: [1-9][0-9]* of 2048 words wrong, 2 findings' 'without dma_sync_single_for_cpu()'
expect report 'dma_sync_single_for_device() or' 'the call is named'
expect report 'stored at .* vtegra_copy\.c:[1-9][0-9]* (pattern_write)' 'and the line'
expect report 'dma_sync_single_for_cpu() or' 'the call is named'
expect report 'loaded at .* vtegra_copy\.c:[1-9][0-9]* (pattern_compare)' 'and the line'

lessons 0 ""
expect lines 'skip=0: [1-9][0-9]* of 2048 words wrong' 'a device tree that promises too much'
[ -z "$failed" ]
