#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vtegra vm with libvirt's embedded driver: status and output of a guest, console, list and down from other processes, and
# what is refused. Usage: vm_libvirt.sh SOURCE BUILD QEMU [long]
set -u
build=$2
qemu=$3
vtegra=$build/bin/vtegra
work=$(mktemp -d /tmp/vtvmXXXXXX) # short: sockets lie in it
export VTEGRA_VM_DIR="$work/vm" VTEGRA_PROFILES="$1/profiles"
trap 'for name in $($vtegra vm list 2>/dev/null | sed 1d | cut -d" " -f1); do $vtegra vm down "$name"; done; umount "$work/small" 2>/dev/null; rm -rf "$work"' EXIT
failed=

fail() {
    echo "FAILED: $*: $(cat "$work/out" "$work/err")"
    failed=1
}

# vm STATUS ARGUMENTS...: runs vtegra vm, output in $work/out, $work/err
vm() {
    want=$1
    shift
    timeout -k 5 60 "$vtegra" vm "$@" >"$work/out" 2>"$work/err"
    status=$?
    [ $status = "$want" ] || fail "vm $*: status $status, not $want"
}

says() {
    grep -qF -- "$2" "$work/$1" || fail "no \"$2\" in $1"
}

vm 0 list </dev/null # does not make the folder
[ ! -e "$VTEGRA_VM_DIR" ] || fail "list made $VTEGRA_VM_DIR"
mkdir -m 700 "$VTEGRA_VM_DIR"
vm 0 list </dev/null
if grep -q 'built without libvirt\|useradd --system' "$work/err"; then
    cat "$work/err"
    exit 77
fi

# A definition for another libvirt: its QEMU, perhaps of another user, passes the folders to the initrd, and sees no other file.
mkdir "$work/guest"
echo kernel >"$work/guest/vmlinuz"
: >"$work/guest/base.cpio"
VTEGRA_GUEST=$work/guest vm 0 xml --qemu "$qemu" --name other
for folder in "$VTEGRA_VM_DIR" "$VTEGRA_VM_DIR/vm" "$VTEGRA_VM_DIR/vm/other"; do
    [ "$(stat -c %a "$folder")" = 711 ] || fail "$folder is $(stat -c %a "$folder"), not 711"
done

# A `vm run` that is killed takes its guest with it.
"$vtegra" vm run --qemu "$qemu" --name killed --kernel "$build/bare/echo.elf" </dev/null >"$work/out" 2>"$work/err" &
victim=$!
for _ in $(seq 200); do
    [ -e "$VTEGRA_VM_DIR/run/qemu/killed.pid" ] && break
    sleep 0.1
done
guest=$(cat "$VTEGRA_VM_DIR/run/qemu/killed.pid" 2>/dev/null)
[ -n "$guest" ] || fail "no guest to be left behind"
kill -KILL "$victim"
for _ in $(seq 200); do
    kill -0 "$guest" 2>/dev/null || break
    sleep 0.1
done
! kill -0 "$guest" 2>/dev/null || fail "vm run was killed and its guest runs on"

# A folder's name with a slip of the pen makes no folder.
VTEGRA_VM_DIR=$work/wm/vm vm 125 run --qemu "$qemu" --soc tx2 --kernel "$build/bare/stale_source.elf" </dev/null
says err "there is no $work/wm: make it, or mend the name"
VTEGRA_VM_DIR=$work/wm/vm vm 1 down guest
[ ! -e "$work/wm" ] || fail "a mistyped VTEGRA_VM_DIR was made"

# A program's output and status; the report; the device on PCI behind the IOMMU.
vm 1 run --qemu "$qemu" --soc tx2 --kernel "$build/bare/stale_source.elf" </dev/null
says err 'missing dc cvac'
says err 'stale_source.c:'
[ "$(cat "$work/out")" = 'mistake: read 0x11111111, right is 0x22222222; not I/O coherent; 1 findings' ] || fail "output"
vm 0 run --qemu "$qemu" --pci --kernel "$build/bare/iommu_fixed.elf" --report "$work/report" </dev/null
grep -q '^vtegra: 0 findings on orin' "$work/report" || fail "report"
printf 'abc.' | vm 3 run --qemu "$qemu" --kernel "$build/bare/echo.elf"
says out ABC

# A guest may be gone before libvirt has called it started: which comes first is luck, on a busy machine more often the guest.
times=1
[ "${4:-}" != long ] || times=6
for i in 1 2 3; do
    timeout 60 sh -c 'while :; do :; done' &
    busy="${busy-} $!"
done
for i in $(seq $times); do
    vm 1 run --qemu "$qemu" --soc tx2 --kernel "$build/bare/stale_source.elf" </dev/null
done
# shellcheck disable=SC2086
kill $busy

# Linux, where scripts/guest.sh has made it: output, arguments, status; nothing of the boot.
if [ -f "${VTEGRA_GUEST:=$1/build/guest}/base.cpio" ]; then
    export VTEGRA_GUEST
    printf '#!/bin/sh\nprintf "%%s;" "$@"\nls /dev/vfio >/dev/null || exit 9\nexit 7\n' >"$work/script"
    vm 7 run --qemu "$qemu" "$work/script" 'a b' '$x' </dev/null
    [ "$(cat "$work/out")" = 'a b;$x;' ] || fail "Linux: output"
    says err '0 findings on orin'
fi

vm 125 run --qemu "$qemu" --check maybe --kernel "$build/bare/echo.elf" </dev/null
says err '--check takes on or off, not maybe'

# A guest that stays: seen and ended by other processes.
vm 0 up --qemu "$qemu" --soc tx2 --name stays --kernel "$build/bare/echo.elf" </dev/null
says err 'stays is up'
vm 0 list
grep -q '^stays  *tx2  *running$' "$work/out" || fail "list"
vm 2 up --qemu "$qemu" --name stays --kernel "$build/bare/missing.elf" </dev/null
vm 125 up --qemu "$qemu" --name stays --kernel "$build/bare/echo.elf" </dev/null
says err 'running already'
printf 'hello' | vm 0 console stays
says out HELLO
vm 0 down stays
vm 1 down stays
says err 'no guest "stays" is running'
vm 0 list
grep -q stays "$work/out" && fail "list after down"

# A full disk ends no guest: list shows it, and down ends it.
if mkdir "$work/small" && mount -t tmpfs -o size=20m tmpfs "$work/small" 2>"$work/err"; then
    VTEGRA_VM_DIR=$work/small/vm
    vm 0 up --qemu "$qemu" --name full --kernel "$build/bare/echo.elf" </dev/null
    guest=$(cat "$VTEGRA_VM_DIR/run/qemu/full.pid")
    dd if=/dev/zero of="$work/small/fill" bs=4k 2>/dev/null
    for i in 1 2; do
        vm 0 list
        grep -q '^full .* running$' "$work/out" || fail "list with a full disk"
    done
    kill -0 "$guest" || fail "list with a full disk has ended the guest"
    vm 0 down full
    ! kill -0 "$guest" 2>/dev/null || fail "down with a full disk"
    umount "$work/small"
    VTEGRA_VM_DIR=$work/vm
fi

# down from elsewhere ends a run; an interrupted run leaves nothing behind.
timeout -k 5 60 "$vtegra" vm run --qemu "$qemu" --name r --kernel "$build/bare/echo.elf" </dev/null >"$work/run" 2>&1 &
run=$!
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    grep -q ready "$work/run" && break
    sleep 0.2
done
vm 0 down r
wait $run
[ $? = 125 ] || fail "a run that was ended: $(cat "$work/run")"
grep -q "status is not known" "$work/run" || fail "a run that was ended: $(cat "$work/run")"
vm 125 run --qemu "$qemu" --timeout 2 --kernel "$build/bare/echo.elf" </dev/null
says err 'ended after --timeout'
vm 0 list
[ "$(wc -l <"$work/out")" = 1 ] || fail "something is left"

# Refused, with what is wrong.
vm 125 run --qemu "$qemu" --soc tegra99 --kernel "$build/bare/echo.elf"
says err 'unknown SoC "tegra99"'
vm 125 run --qemu "$qemu" --policy fast --kernel "$build/bare/echo.elf" </dev/null
says err 'policy= takes eager, lazy or seeded'
vm 125 run --qemu /nowhere/qemu --kernel "$build/bare/echo.elf"
says err 'no program /nowhere/qemu'
vm 125 run --qemu "$qemu" --connect nowhere:///x --kernel "$build/bare/echo.elf" </dev/null
says err 'nowhere:///x'
vm 2 down ../x
says err 'letters, digits'
vm 2 lst
says err 'did you mean list'
long_name=$work/$(printf '%090d' 0)
mkdir "$long_name"
VTEGRA_VM_DIR=$long_name vm 125 list
says err 'too long'
[ -z "$failed" ]
