#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Bad input: wrong arguments, a guest that writes nonsense to everything and changes commands after the doorbell, a
# device that goes with work queued, a QEMU that is ended. Usage: bad.sh SOURCE BUILD QEMU
set -u
source=$1
build=$2
qemu=$3
. "$source/tests/qemu/vm.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export VTEGRA_PROFILES="$source/profiles"
failed=

# refused ARGUMENTS TEXT [QEMU_ARGUMENTS...]: QEMU does not start, and the message says TEXT
refused() {
    arguments=$1
    text=$2
    shift 2
    vm fuzz "$arguments" "$@"
    status=$?
    [ $status = 1 ] || fail "$arguments: status $status, not 1"
    grep -qF -- "$text" "$work/err" || fail "$arguments: no \"$text\" in: $(cat "$work/err")"
}

refused soc=tegra99 'unknown SoC "tegra99"'
refused soc=/nowhere/x.profile '/nowhere/x.profile'
refused soc= 'soc= takes'
refused colour=red 'unknown argument colour=red'
refused policy=fast 'eager, lazy or seeded'
refused evict=always 'never, lru or seeded'
refused seed=one 'seed= takes a number'
refused seed=-1 'seed= takes a number'
refused seed=99999999999999999999999 'seed= takes a number'
refused platform=yes 'on or off'
refused track=0x44000001+4096 'ADDRESS+BYTES'
refused track=0x44000000 'ADDRESS+BYTES'
refused elf=/nowhere/x.elf 'elf=/nowhere/x.elf'
refused platform=on 'exclude each other' -device vtegra
refused soc=tx2 'one -device vtegra' -device vtegra -device vtegra

# Files that cannot be written: said, and the guest runs.
vm stale_source_fixed "platform=on,trace=/nowhere/t" || fail "trace=/nowhere/t: status $?"
grep -q 'trace=/nowhere/t: No such file' "$work/err" || fail "trace=: $(cat "$work/err")"

# Nonsense.
for arguments in soc=tx2 soc=orin,policy=lazy soc=xavier,policy=seeded,evict=seeded,seed=3 soc=orin,cpu=off soc=thor; do
    machine=,iommu=smmuv3 vm fuzz "$arguments,trace=$work/trace" -device vtegra ||
        fail "fuzz with $arguments: status $?: $(cat "$work/console" "$work/err")"
    grep -q '^alive' "$work/console" || fail "fuzz with $arguments: $(cat "$work/console")"
done

# monitored PROGRAM DONE_WHEN COMMANDS...: sends monitor commands when the console says so
monitored() {
    program=$1
    when=$2
    shift 2
    rm -f "$work/console" "$work/report" "$work/monitor"
    mkfifo "$work/monitor"
    timeout -k 5 60 "$qemu" -M virt,gic-version=3 -cpu cortex-a57 -m 1G -nic none -display none -serial "file:$work/console" \
        -semihosting -kernel "$build/bare/$program.elf" -monitor stdio \
        -plugin "$build/lib/vtegra-qemu.so,soc=tx2,report=$work/report" -device pcie-root-port,id=slot0 \
        -device vtegra,bus=slot0,id=gpu <"$work/monitor" >"$work/out" 2>"$work/err" &
    pid=$!
    exec 3>"$work/monitor"
    i=0
    until grep -qs "$when" "$work/console" || [ $i = 200 ]; do
        i=$((i + 1))
        sleep 0.1
    done
    [ $i -lt 200 ] || fail "$program never said $when: $(cat "$work/err")"
    "$@"
    wait $pid
    status=$?
    exec 3>&-
}

unplug() {
    echo 'device_del gpu' >&3
}

monitored unplug ready unplug
[ $status = 0 ] || fail "unplug: status $status: $(cat "$work/console" "$work/err")"
grep -q gone "$work/console" || fail "unplug: the device is still there"

# Ended by a signal with work queued: the report is whole all the same.
ended() {
    kill -TERM $(pgrep -P $pid) 2>/dev/null || kill -TERM $pid
}

monitored unplug ready ended
grep -q '^vtegra: 0 findings on tx2' "$work/report" || fail "SIGTERM: no report"

killed() {
    kill -KILL $(pgrep -P $pid) 2>/dev/null || kill -KILL $pid
}

monitored unplug ready killed
[ $status = 137 ] || fail "SIGKILL: status $status"
[ -z "$failed" ]
