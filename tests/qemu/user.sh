#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# An aarch64 program under vtegra run, by QEMU's user mode: the answers, traces and counts of the board in process, every
# load and store of the CPU seen; what is missing is named. Usage: user.sh SOURCE BUILD
set -u
source=$1
vtegra=$2/bin/vtegra
: "${VTEGRA_AARCH64:=$source/build/aarch64}"
export VTEGRA_AARCH64
unset VTEGRA_BOARD VTEGRA_PROFILES
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=

fail() {
    echo "FAILED: $*: $(head -c 2000 "$work/out" "$work/err")"
    failed=1
}

# run STATUS ARGUMENTS...: output in $work/out, $work/err
run() {
    want=$1
    shift
    timeout -k 5 100 "$vtegra" run "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
    [ $status = "$want" ] || fail "run $*: status $status, not $want"
}

says() {
    tr -s ' \n' '  ' <"$work/$1" | grep -qF -- "$2" || fail "no \"$2\" in $1"
}

# What is missing.
printf '#!/bin/sh\necho "usage: qemu-aarch64 [options] program"\n' >"$work/qemu-without"
chmod +x "$work/qemu-without"
program=$2/bare/echo.elf # any aarch64 program
VTEGRA_QEMU_USER=$work/qemu-without run 126 "$program"
says err 'does not take -plugin: Debian'
VTEGRA_QEMU_USER=/nowhere/qemu run 126 "$program"
says err 'package qemu-user'

# As run_user.c asks; Debian 13's QEMU 10.0.
if ! "${VTEGRA_QEMU_USER:-qemu-aarch64}" -help 2>/dev/null | grep -q -- -plugin; then
    [ -z "$failed" ] || exit 1
    echo "skipped: qemu-aarch64 takes no -plugin, as Debian's qemu-user 10.0; VTEGRA_QEMU_USER may name one that does"
    exit 77
fi

if ! [ -f "$VTEGRA_AARCH64/lib/board/libvtegra.so" ]; then
    run 126 "$program"
    says err 'scripts/guest.sh makes them'
    [ -z "$failed" ] || exit 1
    echo "skipped: no $VTEGRA_AARCH64/lib/board (scripts/guest.sh)"
    exit 77
fi

cp "$source/tests/e2e/vadd.cu" "$source/tests/qemu/user_counts.cu" "$work/"
mkdir "$work/here" "$work/there"
for name in vadd user_counts; do
    "$vtegra" cc --arch sm_53 -O1 -g "$work/$name.cu" -o "$work/here/$name" &&
        "$vtegra" cc --arch sm_53 --target aarch64 -O1 -g "$work/$name.cu" -o "$work/there/$name" || exit 1
done

# No access of the CPU to the board's memory: the same trace as of the x86 program.
for options in "--soc tx2" "--soc xavier --policy seeded --seed 7 --evict seeded"; do
    for where in here there; do
        # shellcheck disable=SC2086
        run 0 -q $options --trace "$work/trace.$where" "$work/$where/vadd"
        says out 'sum 12500000.0'
        grep -v '^@run ' "$work/trace.$where" >"$work/trace"
        mv "$work/trace" "$work/trace.$where"
    done
    cmp "$work/trace.here" "$work/trace.there" || fail "$options: another trace than in process"
    [ "$(wc -l <"$work/trace.there")" -gt 100 ] || fail "$options: hardly a trace"
done

# 0 + 1 + ... + 999, and 1 more of each; the counts as in the program; 4000 bytes are 63 lines of 64.
run 7 -q --soc tx2 --report "$work/report" "$work/there/user_counts"
says out '500500 9'
says report '1000 loads, read 3.9 KiB, 1000 stores, wrote 3.9 KiB; cache hits 1874, misses 126'
says report '1 load, read 4 B, 10 stores, wrote 40 B; all 11 uncached'
says report 'CPU accesses exact'
for n in 1 2; do
    run 7 -q --soc tx2 --trace "$work/trace.$n" "$work/there/user_counts"
done
cmp "$work/trace.1" "$work/trace.2" || fail "two runs, two traces"
ls "${TMPDIR:-/tmp}"/vtegra-board-$$-* 2>/dev/null && fail "a socket is left"

# The plugin's own arguments.
plugin() {
    "${VTEGRA_QEMU_USER:-qemu-aarch64}" -plugin "$2/lib/vtegra-user.so$1" "$program" >"$work/out" 2>"$work/err"
    [ $? = 1 ] || fail "plugin $1"
}
plugin ,soc=tx2 "$2"
says err 'socket=PATH says'
plugin ",socket=$work/s,soc=tegra99" "$2"
says err 'unknown SoC "tegra99"'
plugin ,colour=red "$2"
says err 'unknown argument colour=red'
plugin ",socket=/nowhere/s" "$2"
says err 'No such file'
[ -z "$failed" ]
