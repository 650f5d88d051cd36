#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs a lesson for people who write drivers in QEMU: the mistake, then its correction, each with the report.
# Usage: scripts/qemu-lesson.sh [NAME [SOC]]      without NAME: what there is. Builds what is missing (preset release).
set -eu
cd "$(dirname "$0")/.."
lessons=qemu-plugin/baremetal/lessons
qemu=${QEMU:-qemu-system-aarch64}

if [ $# = 0 ]; then
    for lesson in "$lessons"/*.c; do
        printf '%-16s %s\n' "$(basename "$lesson" .c)" "$(sed -n 's,^/\* Lesson: \(.*\),\1,p' "$lesson")"
    done
    echo "scripts/qemu-lesson.sh NAME [SOC]"
    exit 0
fi
name=$1
soc=${2:-tx2}
[ -f "$lessons/$name.c" ] || {
    echo "qemu-lesson: no lesson $name; scripts/qemu-lesson.sh lists them" >&2
    exit 2
}
scripts/install-deps.sh --qemu
build=build/release

# The plugin and the lessons alone: a minute or two, the whole project takes longer.
build_them() {
    echo "qemu-lesson: building (once)" >&2
    scripts/build.sh release vtegra-qemu bare
}

[ -f "$build/lib/vtegra-qemu.so" ] && [ -f "$build/bare/${name}_fixed.elf" ] || build_them
[ -f "$build/bare/${name}_fixed.elf" ] || { # configured before the compiler was there
    rm -f "$build/build.ninja"
    build_them
}

sed -n '/^\/\* Lesson:/,/\*\//p' "$lessons/$name.c" | sed 's,^/\* ,,; s,^ \* \?,,; s, \*/$,,'
for program in "$name" "${name}_fixed"; do
    machine=virt,gic-version=3
    plugin=$build/lib/vtegra-qemu.so,soc=$soc,elf=$build/bare/$program.elf
    device=
    case $name in
    iommu*)
        machine=$machine,iommu=smmuv3
        device="-device vtegra"
        ;;
    *) plugin=$plugin,platform=on ;;
    esac
    echo
    # shellcheck disable=SC2086 # two words
    "$qemu" -M $machine -cpu cortex-a57 -m 1G -nic none -display none -monitor none -serial stdio -semihosting \
        -kernel "$build/bare/$program.elf" -plugin "$plugin" $device </dev/null || [ $? = 1 ]
done
