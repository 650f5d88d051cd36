#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# CUDA programs in a Linux guest, their kernels on the device in QEMU: a vector addition, a DLA, and scenarios whose verdict
# (what they print, how they end, which rules the report names and where) is the one they get without QEMU, with the checker
# of every access and without; EGLStreams, NvSci, NvBufSurfTransform on the VIC, pinned memory that the CPU does not cache. A program that is killed leaves nothing behind. A plugin of other sources is refused.
# Usage: guest.sh SOURCE BUILD QEMU [long]      after programs.sh
set -u
source=$1
build=$2
thorough=${4:-}
programs=$build/guest-programs${4:+-$4}
. "$source/tests/qemu/verdict.sh"
if ! [ -f "$source/build/guest/base.cpio" ] || ! [ -f "$source/build/aarch64/guest.cpio" ] || ! [ -f "$programs/vadd" ]; then
    echo "skipped: scripts/guest.sh makes the guest"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export QEMU="$3" BUILD="$build" VTEGRA_PROFILES="$source/profiles" LIMIT=150
failed=

fail() {
    echo "FAILED: $*"
    failed=1
}

# boot NAME SOC: runs the lines in $work/lines; console.NAME, machine.NAME
boot() {
    files=
    for file in "$programs"/*; do
        case $file in
        *.native | *.log | *.verdict | */build | */sources | */native) ;;
        *) files="$files --file $file" ;;
        esac
    done
    old_ifs=$IFS
    files="$files --file $work/killed.sh"
    boot_name=$1
    boot_soc=$2
    IFS='
'
    # shellcheck disable=SC2046 # one line a word
    set -- $(cat "$work/lines")
    IFS=$old_ifs
    # shellcheck disable=SC2086
    "$source/qemu-plugin/guest/run.sh" --soc "$boot_soc" --plugin "policy=lazy,report=$work/machine.$boot_name" $files --all -- "$@" >"$work/console.$boot_name" 2>&1 ||
        [ $? -ne 125 ] || fail "$boot_name: the guest: $(tail -n 5 "$work/console.$boot_name")"
}

# part NAME LINE: what the line printed, and its exit status
part() {
    awk -v end=" of $2" '/^vtegra-guest: exit / { if (substr($0, length($0) - length(end) + 1) == end) { print part $3; exit } part = ""; next }
        { part = part $0 "\n" }' "$work/console.$1"
}

# same NAME GROUP SOC PREFIX: each line of the group has the verdict that it has natively
same() {
    guest_lines "$2" >"$work/group"
    while read -r line; do
        part "$1" "$4./$line" >"$work/guest"
        verdict "$work/guest" >"$work/verdict"
        native=$programs/$(verdict_name "$2" "$3" "$line")
        cmp -s "$native" "$work/verdict" ||
            fail "$3 $4$line: natively $(tr '\n' ' ' <"$native"), in the guest $(tr '\n' ' ' <"$work/verdict"): $(head -n 60 "$work/guest")"
        echo "$3 $4$line: $(tr '\n' ' ' <"$work/verdict")"
    done <"$work/group"
}

# TRACK_COUNT (control.def) after a program was killed; while it runs, Linux keeps others away from its registers.
cat >"$work/killed.sh" <<'END'
base=$(head -n 1 /sys/bus/pci/devices/0000:00:01.0/resource | cut -d ' ' -f 1)
./left_behind >out &
while kill -0 $! && ! grep -qx left out; do
    sleep 1
done
cat out
kill -9 $!
wait
echo "killed, tracked: $(devmem $((base + 0x34)))"
./vadd
END
{
    guest_lines plain | sed 's,^,./,'
    guest_lines checked | sed 's,^,VTEGRA_CHECK=on ./,'
    echo './cuda_only no_gl'
    echo 'sh killed.sh'
} >"$work/lines"
boot orin orin
same orin plain orin ''
same orin checked orin 'VTEGRA_CHECK=on '
# 0 + 1 + ... + 4999 and 5000 halves, by hand
part orin ./vadd | grep -qx 'sum 12500000.0' || fail "vadd: $(head -n 20 "$work/console.orin")"
part orin './hybrid network.loadable' | grep -q '^sum 533434, 0 of 24576 wrong$' || fail "hybrid: no DLA"
# 4096 bytes of 1, of 2, .. of 10; and what the guest's EGL does not have, by name
part orin ./cuda_only | grep -qx 'sum 225280' || fail "cuda_only: $(head -n 20 "$work/console.orin")"
part orin './cuda_only no_gl' | grep -q '^vtegra: eglCreateContext: there is no OpenGL in this guest' ||
    fail "cuda_only no_gl: $(part orin './cuda_only no_gl')"
# What the CPU loaded is old, and only the machine sees why.
grep -q "the iGPU's L2 holds newer bytes" "$work/machine.orin" || fail "no stale line: $(cat "$work/machine.orin")"
# A race is found with both places in the program.
part orin 'VTEGRA_CHECK=on ./write_before_done' >"$work/guest"
grep -q '^ *rule *race ' "$work/guest" || fail "no race: $(cat "$work/guest")"
line=$(grep -n -- '<-- found here' "$source/scenarios/write_before_done/write_before_done.cu" | cut -d : -f 1)
grep -q "write_before_done\.cu:$line" "$work/guest" || fail "the race has no place: $(cat "$work/guest")"
# Killed with work queued; the next program finds the board as new.
part orin 'sh killed.sh' >"$work/guest"
grep -qx 'killed, tracked: 0x00000000' "$work/guest" ||
    fail "tracked pages after kill -9: $(grep tracked: "$work/guest")"
grep -qx left "$work/guest" && grep -qx 'sum 12500000.0' "$work/guest" || fail "after kill -9: $(tail -n 20 "$work/console.orin")"

# Nano's and TX2's pinned memory, uncached through the guest's module; the VIC of the boards whose window had no room for it.
guest_lines uncached | sed 's,^,./,' >"$work/lines"
boot uncached tx2
same uncached uncached tx2 ''
guest_lines vic | sed 's,^,./,' >"$work/lines"
boot vic xavier
same vic vic xavier ''

if [ "$thorough" = long ]; then # another boot
    guest_lines few | sed 's,^,./,' >"$work/lines"
    boot tx2 tx2
    same tx2 few tx2 ''
    grep -q '^vtegra: 0 findings' "$work/machine.tx2" || fail "tx2: $(cat "$work/machine.tx2")"
fi

# A plugin built from other sources, some seconds older: the runtime says so and does not start.
case $("$QEMU" --version) in
*'version 7.'*)
    objects=$(find "$build/qemu-plugin/CMakeFiles/vtegra-qemu.dir" -name '*.o' 2>/dev/null)
    mkdir "$work/lib"
    cat >"$work/older.c" <<END
#include "contract/contract.h"
const struct contract contract_here = { .hash = 0x1234, .time = 1 };
END
    # shellcheck disable=SC2046,SC2086
    cc -std=gnu17 -w -fPIC -shared -I"$source" "$work/older.c" $objects -Wl,--start-group $(find "$build/lib" -name 'lib*.a') -Wl,--end-group \
        $(pkg-config --libs glib-2.0 libdw) -lm -o "$work/lib/vtegra-qemu.so" || fail "no older plugin"
    echo ./vadd >"$work/lines"
    BUILD=$work boot older orin
    part older ./vadd >"$work/guest"
    grep -q 'this runtime (.* and the plugin in QEMU (00000000 of 1970-01-01 00:00) are of different sources: the plugin in QEMU is older; scripts/build.sh' "$work/guest" ||
        fail "a plugin of other sources: $(cat "$work/guest")"
    grep -q 'cudaErrorNoDevice\|cudaErrorInitializationError\|cudaErrorSystemNotReady\|cudaErrorUnknown' "$work/guest" || fail "a plugin of other sources: no error: $(cat "$work/guest")"
    ;;
esac
[ -z "$failed" ]
