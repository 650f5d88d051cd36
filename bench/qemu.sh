#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What the plugin costs in QEMU, as ratios of one run: bench/qemu.sh [BUILD_DIR [QEMU]]. Accesses of a memory-bound guest
# loop outside and inside a tracked range against no plugin, a register write against QEMU's edu device, a copy of 1 MiB
# through QEMU's SMMUv3 against the host's memcpy. The shortest of many rounds and of five runs. Exit status 1 if a figure is
# beyond its limit.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "${1:-$root/build/release}" && pwd) || exit 2
qemu=${2:-qemu-system-aarch64}
export VTEGRA_PROFILES="$root/profiles"
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

cat >"$work/memcpy.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
int main(void)
{
    char *a = malloc(2 << 20);
    long best = 1 << 30;

    memset(a, 1, 2 << 20);
    for (int i = 0; i < 1000; i++) {
        struct timespec t0, t1;

        clock_gettime(CLOCK_MONOTONIC, &t0);
        memcpy(a, a + (1 << 20), 1 << 20);
        __asm__ volatile("" ::"r"(a) : "memory");
        clock_gettime(CLOCK_MONOTONIC, &t1);
        long ns = (t1.tv_sec - t0.tv_sec) * 1000000000 + t1.tv_nsec - t0.tv_nsec;
        best = ns < best ? ns : best;
    }
    printf("memcpy_1mib_ns %ld\n", best);
    return 0;
}
END
gcc -O2 -o "$work/memcpy" "$work/memcpy.c" || exit 2

run() {
    prefix=$1
    shift
    "$qemu" -M virt,gic-version=3,iommu=smmuv3 -cpu cortex-a57 -m 1G -nic none -display none -monitor none -serial stdio \
        -semihosting -kernel "$build/bare/bench.elf" "$@" </dev/null 2>/dev/null | sed "s/^/$prefix/"
}

for i in 1 2 3 4 5; do
    run none_ -device edu
    run with_ -plugin "$build/lib/vtegra-qemu.so,soc=tx2" -device vtegra -device edu
    "$work/memcpy"
done >"$work/figures"

# boot NAME QEMU_ARGUMENTS...: Linux to user space, by the guest's clock
boot() {
    name=$1
    shift
    rm -f "$work/console"
    timeout -k 5 120 "$qemu" -M virt,gic-version=3,iommu=smmuv3 -cpu cortex-a57 -m 1G -nic none -display none -monitor none \
        -serial "file:$work/console" -no-reboot -kernel "$root/build/guest/vmlinuz" -initrd "$work/initrd" \
        -append "console=ttyAMA0 quiet panic=-1 nokaslr rdinit=/init" "$@" </dev/null 2>/dev/null
    sed -n "s/^vtegra-guest: up after \([0-9.]*\) s.*/$name \1/p" "$work/console"
}

if [ -f "$root/build/guest/base.cpio" ]; then # qemu-plugin/guest/make.sh
    mkdir -p "$work/root/etc/vtegra"
    echo true >"$work/root/etc/vtegra/run"
    "$root/qemu-plugin/guest/archive.sh" "$work/root" "$work/run.cpio"
    cat "$root/build/guest/base.cpio" "$work/run.cpio" >"$work/initrd"
    for i in 1 2 3; do
        boot none_boot_s
        boot with_boot_s -plugin "$build/lib/vtegra-qemu.so,soc=tx2" -device vtegra
    done >>"$work/figures"
fi

"$qemu" --version | head -n 1
awk '{ if (!($1 in v) || $2 < v[$1]) v[$1] = $2 }
function line(text, a, b, limit) {
    r = v[b] ? v[a] / v[b] : 99
    printf "%-46s %6.2f x (at most %s)%s\n", text, r, limit, (r > limit ? "  BEYOND" : "")
    bad += (r > limit)
}
END {
    if ("with_boot_s" in v) line("Linux to user space", "with_boot_s", "none_boot_s", 2)
    line("load outside a tracked range, nothing tracked", "with_outside_load_ps", "none_outside_load_ps", 2)
    line("load outside, something tracked", "with_tracked_elsewhere_load_ps", "none_outside_load_ps", 2)
    line("store outside, something tracked", "with_tracked_elsewhere_store_ps", "none_outside_store_ps", 2)
    line("load inside", "with_inside_load_ps", "none_outside_load_ps", 6)
    line("store inside", "with_inside_store_ps", "none_outside_store_ps", 6)
    line("register write, against edu", "with_vtegra_write_ns", "none_edu_write_ns", 1.5)
    line("copy of 1 MiB through the SMMU, against memcpy", "with_copy_1mib_ns", "memcpy_1mib_ns", 3)
    exit bad != 0
}' "$work/figures"
