#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs a lesson for people who write drivers in QEMU: the mistake, then its correction, each with the report. Or a program of
# your own, with the same library and report. Exit status: that of the last program.
# Usage: scripts/qemu-lesson.sh [NAME | FILE.c [SOC]]      without NAME: what there is. SOC: tx2 if not given. --pci before
# FILE.c: as a PCI function behind the SMMU. Builds what is missing (preset release).
set -eu
here=$(pwd)
cd "$(dirname "$0")/.."
lessons=qemu-plugin/baremetal/lessons
qemu=${QEMU:-qemu-system-aarch64}
pci=

if [ $# = 0 ]; then
    for lesson in "$lessons"/*.c; do
        printf '%-16s %s\n' "$(basename "$lesson" .c)" "$(sed -n 's,^/\* Lesson: \(.*\),\1,p' "$lesson")"
    done
    echo "scripts/qemu-lesson.sh NAME [SOC], or FILE.c [SOC] for a program of your own"
    exit 0
fi
if [ "$1" = --pci ]; then
    pci=yes
    shift
fi
name=${1:-}
soc=${2:-tx2}
case $name in
*.c)
    case $name in /*) source=$name ;; *) source=$here/$name ;; esac
    name=own-$(basename "$name" .c)
    ;;
*)
    source=$lessons/$name.c
    case $name in iommu*) pci=yes ;; esac
    ;;
esac
[ -f "$source" ] || {
    echo "qemu-lesson: no lesson ${name#own-}; scripts/qemu-lesson.sh lists them, FILE.c is a program of your own" >&2
    exit 2
}
scripts/install-deps.sh --qemu
build=build/release

# The plugin and the lessons alone: a minute or two, the whole project takes longer.
build_them() {
    echo "qemu-lesson: building (once)" >&2
    scripts/build.sh release vtegra-qemu bare
}

[ -f "$build/lib/vtegra-qemu.so" ] && [ -f "$build/bare/stale_line_fixed.elf" ] && [ -x "$build/bare/cc" ] || build_them
[ -f "$build/bare/stale_line_fixed.elf" ] && [ -x "$build/bare/cc" ] || { # configured before the compiler was there
    rm -f "$build/build.ninja"
    build_them
}
programs="$name ${name}_fixed"
case $name in
own-*)
    grep -qw FIXED "$source" || programs=$name
    for program in $programs; do
        "$build/bare/cc" "$source" "$build/bare/$program.elf" -DFIXED="$([ "$program" = "$name" ] && echo 0 || echo 1)"
    done
    ;;
*)
    [ -f "$build/bare/${name}_fixed.elf" ] || build_them
    sed -n '/^\/\* Lesson:/,/\*\//p' "$source" | sed 's,^/\* ,,; s,^ \* \?,,; s, \*/$,,'
    ;;
esac

status=0 # of the last one: the correction, where there is one
for program in $programs; do
    machine=virt,gic-version=3
    plugin=$build/lib/vtegra-qemu.so,soc=$soc,elf=$build/bare/$program.elf
    device=
    if [ -n "$pci" ]; then
        machine=$machine,iommu=smmuv3
        device="-device vtegra"
    else
        plugin=$plugin,platform=on
    fi
    echo
    # shellcheck disable=SC2086 # two words
    "$qemu" -M $machine -cpu cortex-a57 -m 1G -nic none -display none -monitor none -serial stdio -semihosting \
        -kernel "$build/bare/$program.elf" -plugin "$plugin" $device </dev/null && status=0 || status=$?
done
exit "$status"
