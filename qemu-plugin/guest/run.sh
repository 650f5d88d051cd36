#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs programs in the Linux guest, on the board: boots, runs, switches off.
# Usage: qemu-plugin/guest/run.sh [--soc NAME] [--plugin ARGS] [--env NAME=VALUE]... [--file FILE]... [--all | --raw] -- LINE...
#   LINE       a command line for the guest's shell; a program is found in /root by its name
#   --file     goes into /root: programs and what they read
#   --plugin   more arguments for the plugin: policy=seeded,seed=7,trace=FILE,report=FILE
#   --qemu     more arguments for QEMU, as one word
#   --all      what the lines print, and how each ended: vtegra-guest: exit STATUS of LINE
#   --raw      the console as it is; else only what the lines print, and failures
# Exit status: that of the last line; 125 if the guest did not come that far. $QEMU, $BUILD (default build/release),
# $GUEST (build/guest), $RUNTIME (build/aarch64: the runtime for aarch64) name other places.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
build=${BUILD:-$source/build/release}
guest=${GUEST:-$source/build/guest}
runtime=${RUNTIME:-$source/build/aarch64}
qemu=${QEMU:-qemu-system-aarch64}

die() {
    echo "guest: $*" >&2
    exit 125
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/root/etc/vtegra" "$work/root/root"
soc=orin
plugin=
more=
show='^vtegra-guest: \(up\|exit 0 \)'
raw=
: >"$work/root/etc/vtegra/environment"
while [ $# -gt 0 ]; do
    case $1 in
    --soc | --plugin | --env | --file | --qemu)
        [ $# -ge 2 ] || die "$1 needs a value"
        case $1 in
        --soc) soc=$2 ;;
        --plugin) plugin=,$2 ;;
        --env) printf "export %s='%s'\n" "${2%%=*}" "$(printf %s "${2#*=}" | sed "s/'/'\\\\''/g")" >>"$work/root/etc/vtegra/environment" ;;
        --file) cp "$2" "$work/root/root/" || die "no file $2" ;;
        --qemu) more=$2 ;;
        esac
        shift
        ;;
    --raw) raw=yes ;;
    --all) show='^vtegra-guest: up' ;;
    --)
        shift
        break
        ;;
    *) die "unknown option $1; the head of $0 says what there is" ;;
    esac
    shift
done
[ -f "$build/lib/vtegra-qemu.so" ] || die "no plugin in $build: scripts/build.sh release"
[ -f "$guest/base.cpio" ] || die "no guest in $guest: qemu-plugin/guest/make.sh"

[ $# = 0 ] || printf '%s\n' "$@" >"$work/root/etc/vtegra/run"
"$here/archive.sh" "$work/root" "$work/programs.cpio"
cat "$guest/base.cpio" "$work/programs.cpio" >"$work/initrd"
if [ -f "$runtime/guest.cpio" ]; then
    cat "$runtime/guest.cpio" >>"$work/initrd"
fi

status=0
# shellcheck disable=SC2086 # $more: several words
timeout -k 5 "${LIMIT:-120}" "$qemu" -M "virt,gic-version=3,iommu=smmuv3${MACHINE:-}" -cpu "${CPU:-cortex-a57}" -m "${MEMORY:-1G}" \
    -nic none -display none -monitor none -serial "file:$work/console" -no-reboot -kernel "$guest/vmlinuz" -initrd "$work/initrd" \
    -append "console=ttyAMA0 quiet panic=-1 nokaslr rdinit=/init${APPEND:-}" \
    -plugin "$build/lib/vtegra-qemu.so,soc=$soc$plugin" -device vtegra $more </dev/null 2>"$work/err" || status=$?
if [ -n "$raw" ]; then
    cat "$work/console"
else
    sed -n '/^vtegra-guest: up/,$p' "$work/console" | grep -v "$show\|^\[ .*reboot: Power down" || true
fi
cat "$work/err" >&2 # with the machine's report, unless report= names a file
[ $status = 0 ] || die "QEMU ended with status $status"
[ $# = 0 ] && exit 0
last=$(sed -n 's/^vtegra-guest: exit \([0-9]*\) of .*/\1/p' "$work/console" | tail -n 1)
[ "$(grep -c '^vtegra-guest: exit ' "$work/console")" = $# ] || die "the guest ended before its last line: $(tail -n 3 "$work/console")"
exit "$last"
