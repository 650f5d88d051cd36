#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Bad input: wrong arguments, a guest that writes nonsense to everything and changes commands after the doorbell, a
# device that goes with work queued, a QEMU that is ended. Usage: bad.sh SOURCE BUILD QEMU [long]
. "$(dirname "$0")/vm.sh"

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
refused soc=xavier 'come with -device vtegra' -device vtegra-dla0
refused soc=xavier 'function 0 of its slot' -device vtegra,addr=5.1
refused soc=tx2 'no PCI Express bus' -device pcie-pci-bridge,id=old -device vtegra,bus=old

# A QEMU for another CPU, and a program that exports nothing of QEMU: refused, with what is missing.
if command -v qemu-system-arm >/dev/null && [ -z "$sanitized" ]; then
    timeout -k 5 60 qemu-system-arm -M virt -nic none -display none -plugin "$build/lib/vtegra-qemu.so,soc=orin" </dev/null >"$work/out" 2>"$work/err"
    [ $? = 1 ] || fail "qemu-system-arm: not refused"
    grep -q 'for qemu-system-aarch64, not qemu-system-arm' "$work/err" || fail "qemu-system-arm: $(cat "$work/err")"
fi
cat >"$work/no-qemu.c" <<'END'
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    struct { const char *target; struct { int min, cur; } version; bool system; } info = { "aarch64", { 0, 1 }, true };
    void *plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    int (*install)(unsigned long, const void *, int, char **) = plugin ? (int (*)(unsigned long, const void *, int, char **))dlsym(plugin, "qemu_plugin_install") : NULL;
    char soc[] = "soc=orin", *args[] = { soc };

    if (!install) {
        puts(dlerror());
        return 2;
    }
    return install(1, &info, 1, args) == 0 ? 0 : 1;
}
END
cc -o "$work/no-qemu" "$work/no-qemu.c" -ldl || fail "no-qemu.c"
# shellcheck disable=SC2086 # several words
$sanitized "$work/no-qemu" "$build/lib/vtegra-qemu.so" >"$work/out" 2>"$work/err"
[ $? = 1 ] || fail "without QEMU: status $?: $(cat "$work/out" "$work/err")"
for symbol in 'does not export: type_register_static' address_space_map msix_notify "Debian's qemu-system-aarch64 7.2 and 10.0 do"; do
    grep -q "$symbol" "$work/err" || fail "without QEMU: $symbol is not named: $(cat "$work/err")"
done

# Files that cannot be written: said, and the guest runs.
vm stale_source_fixed "platform=on,trace=/nowhere/t" || fail "trace=/nowhere/t: status $?"
grep -q 'trace=/nowhere/t: No such file' "$work/err" || fail "trace=: $(cat "$work/err")"

# Nonsense.
some="soc=tx2 soc=xavier,policy=seeded,evict=seeded,seed=3"
[ "${4:-}" != long ] || some="$some soc=orin,policy=lazy soc=orin,cpu=off soc=thor"
for arguments in $some; do
    machine=,iommu=smmuv3 vm fuzz "$arguments,trace=$work/trace" -device vtegra ||
        fail "fuzz with $arguments: status $?: $(cat "$work/console" "$work/err")"
    grep -q '^alive' "$work/console" || fail "fuzz with $arguments: $(cat "$work/console")"
done

# The same from other seeds.
if [ "${4:-}" = long ]; then
    seed=2
    while [ $seed -le 17 ]; do
        case $((seed % 3)) in 0) arguments=soc=orin ;; 1) arguments=soc=xavier,policy=lazy ;; *) arguments=soc=orin,policy=seeded ;; esac
        limit=120 machine=,iommu=smmuv3 vm fuzz "$arguments" -device vtegra -device "loader,addr=0x7fe00000,data=$seed,data-len=4" ||
            fail "fuzz from seed $seed with $arguments: status $?: $(cat "$work/console" "$work/err")"
        grep -q '^alive' "$work/console" || fail "fuzz from seed $seed with $arguments: $(cat "$work/console")"
        seed=$((seed + 1))
    done
fi

# Work without end: the guest's CPU continues meanwhile, and QEMU ends by SIGTERM, with a report.
endless() {
    rm -f "$work/console" "$work/report"
    # shellcheck disable=SC2086 # several words
    timeout -s KILL 60 $sanitized "$qemu" -M virt,gic-version=3 -cpu cortex-a57 -m 1G -nic none -display none -monitor none \
        -serial "file:$work/console" -semihosting -kernel "$build/bare/$1.elf" \
        -plugin "$build/lib/vtegra-qemu.so,$2,platform=on,report=$work/report" </dev/null 2>"$work/err" &
    pid=$!
    i=0
    until grep -qs alive "$work/console" || [ $i = 400 ]; do
        i=$((i + 1))
        sleep 0.1
    done
    [ $i -lt 400 ] || fail "$1 with $2: the guest's CPU stands still: $(cat "$work/console" "$work/err")"
    kill -TERM $(pgrep -P $pid) 2>/dev/null
    wait $pid
    status=$?
    [ $status = 0 ] || fail "$1 with $2: status $status after SIGTERM"
    grep -q '^vtegra: 0 findings' "$work/report" || fail "$1 with $2: no report"
}

for soc in xavier orin; do
    endless endless_copy "soc=$soc"
    endless endless_kernel "soc=$soc"
done
endless endless_copy soc=orin,policy=lazy
endless endless_copy soc=xavier,policy=seeded

# A second CPU that changes tables, rings, commands and code while the engines read them.
for soc in tx2 xavier; do
    vm fuzz_race "soc=$soc" -smp 2 -accel tcg,thread=multi -device vtegra ||
        fail "fuzz_race on $soc: status $?: $(cat "$work/console" "$work/err")"
    grep -q '^the channel died [1-9]' "$work/console" || fail "fuzz_race on $soc: $(cat "$work/console")"
done

# One function for everything, for those who want it.
machine=,iommu=smmuv3 vm iommu_fixed soc=xavier -device vtegra,multifunction=off || fail "multifunction=off: $(cat "$work/console")"

# monitored PROGRAM DONE_WHEN COMMANDS...: sends monitor commands when the console says so
monitored() {
    program=$1
    when=$2
    shift 2
    rm -f "$work/console" "$work/report" "$work/monitor"
    mkfifo "$work/monitor"
    # shellcheck disable=SC2086 # several words
    timeout -k 5 60 $sanitized "$qemu" -M virt,gic-version=3 -cpu cortex-a57 -m 1G -nic none -display none -serial "file:$work/console" \
        -semihosting -kernel "$build/bare/$program.elf" -monitor stdio \
        -plugin "$build/lib/vtegra-qemu.so,soc=xavier,report=$work/report" -device pcie-root-port,id=slot0 \
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
    i=0
    until grep -qs gone "$work/console" || [ $i = 200 ]; do
        i=$((i + 1))
        sleep 0.1
    done
    echo 'device_add vtegra-dla0,bus=slot0,addr=0.0' >&3 # refused
    echo 'device_add vtegra-dla0,bus=slot0,addr=0.1' >&3
    echo 'device_add vtegra,bus=slot0,id=again' >&3 # DLA 1 has none: it uses function 0
}

monitored unplug ready unplug
[ $status = 0 ] || fail "unplug: status $status: $(cat "$work/console" "$work/err")"
grep -q gone "$work/console" || fail "unplug: the device is still there"
grep -q back "$work/console" || fail "unplug: no device after device_add: $(cat "$work/out" "$work/err")"
grep -q "that is no function 0" "$work/out" || fail "a DLA as function 0: not refused"

# Ended by a signal with work queued: the report is whole all the same.
ended() {
    kill -TERM $(pgrep -P $pid) 2>/dev/null || kill -TERM $pid
}

monitored unplug ready ended
grep -q '^vtegra: 0 findings on xavier' "$work/report" || fail "SIGTERM: no report"

killed() {
    kill -KILL $(pgrep -P $pid) 2>/dev/null || kill -KILL $pid
}

monitored unplug ready killed
[ $status = 137 ] || fail "SIGKILL: status $status"
[ -z "$failed" ]
