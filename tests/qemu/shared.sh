#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The board in a QEMU that exports no internals: ivshmem=FILE,ram=FILE. Registers, channel, copy engine and NVDLA do what
# they do the normal way, record by record; what needs more says so. Usage: shared.sh SOURCE BUILD QEMU
. "$(dirname "$0")/vm.sh"
vm_files
normal=$qemu

# The same QEMU without its exports. It may be a script that starts the program (scripts/qemu-10.sh).
program=$(command -v "$qemu")
case $(head -c 2 "$program") in
'#!')
    real=$(sed -n 's/^ *exec \([^ ]*\).*/\1/p' "$program")
    "$source/tests/qemu/hide-exports.py" "$real" "$work/program" || fail "hide-exports.py"
    sed "s,exec [^ ]*,exec $work/program," "$program" >"$work/qemu"
    chmod +x "$work/qemu"
    ;;
*) "$source/tests/qemu/hide-exports.py" "$program" "$work/qemu" || fail "hide-exports.py" ;;
esac
qemu=$work/qemu

# says PROGRAM STATUS TEXT: of the run before
says() {
    [ "$status" = "$2" ] || fail "$1: status $status, not $2: $(cat "$work/console" "$work/err")"
    cat "$work/console" "$work/err" "$work/report" 2>/dev/null | grep -qF -- "$3" ||
        fail "$1: no \"$3\" in: $(cat "$work/console" "$work/err")"
}

# Without the argument: the refusal names what is missing, and the way.
rm -f "$work/console"
vm engines soc=orin
status=$?
says "no internals" 1 "does not export: type_register_static"
says "no internals" 1 "ivshmem=FILE,ram=FILE"

# Each register does what it does the normal way: the model's records are the same, byte for byte.
for arguments in soc=orin soc=tx2; do
    vm_shared engines "$arguments,trace=$work/trace.shared"
    status=$?
    says "engines, $arguments" 0 "engines: right"
    qemu=$normal vm engines "$arguments,platform=on,cpu=off,trace=$work/trace.normal"
    status=$?
    says "engines, $arguments, platform=on" 0 "engines: right"
    for how in normal shared; do # behind the mark a clock decides how often the engine looks
        sed '/MARK value=1$/q' "$work/trace.$how" >"$work/records.$how"
    done
    [ "$(wc -l <"$work/records.normal")" -gt 1000 ] || fail "$arguments: hardly a trace"
    cmp "$work/records.normal" "$work/records.shared" || fail "$arguments: other records than the normal way's"
    [ -z "$failed" ] || exit 1
done
for arguments in soc=orin,policy=lazy soc=xavier,policy=seeded,seed=4; do
    vm_shared engines "$arguments"
    status=$?
    says "engines, $arguments" 0 "engines: right"
done

# In a QEMU with its exports the argument asks for this way, too.
qemu=$normal vm_shared engines soc=orin
status=$?
says "engines with exports" 0 "engines: right"

# Lessons about engines; those about what is not here say so.
while read -r name soc want text; do
    vm_shared "$name" "soc=$soc"
    status=$?
    says "$name on $soc" "$want" "$text"
done <<END
nvdla_bdma orin 1 read 0x00000074, right is 0x00000007
nvdla_bdma_fixed xavier 0 read 0x00000007, right is 0x00000007
gpu_l2 orin 1 read 0x00000000, right is 0x00000427
gpu_l2_fixed orin 0 read 0x00000427, right is 0x00000427
iommu orin 2 needs an IOMMU
END

# The CPU's caches: where the interface shows the CPU's registers (from QEMU 9.0 on) each lesson has the verdict, the
# finding and the place that it has the normal way.
case $("$normal" --version) in
*'version 7.'*)
    vm_shared stale_line soc=tx2
    status=$?
    says "stale_line" 2 "needs the CPU's caches"
    says "stale_line" 2 "the CPU's caches are not seen"
    ;;
*)
    count=0
    while read -r name soc verdict finding; do
        case $name in '' | '#'* | iommu*) continue ;; esac
        vm_shared "$name" "soc=$soc,elf=$build/bare/$name.elf"
        status=$?
        count=$((count + 1))
        [ "$finding" != - ] || finding="vtegra: 0 findings"
        says "$name on $soc" "$([ "$verdict" = right ] && echo 0 || echo 1)" "$finding"
        case $finding in
        'vtegra: 0'*) ;;
        *) grep -q " $name\.c:[1-9][0-9]* (main)" "$work/report" || fail "$name on $soc: no place: $(cat "$work/report")" ;;
        esac
    done <"$source/qemu-plugin/baremetal/lessons/expected"
    [ "$count" -ge 20 ] || fail "the table was not read"
    vm_shared smp_short soc=tx2 -smp 4 -accel tcg,thread=single
    status=$?
    says smp 0 "exit 0"
    vm_shared stale_line soc=tx2,cpu=off
    status=$?
    says "cpu=off" 2 "needs the CPU's caches"
    ;;
esac

# Not of 32 bits: no fault here, but a finding.
vm_shared engines_widths soc=orin
status=$?
says widths 0 "engines: right"
says widths 0 "a store of 2 bytes to a register of 32 bits"
says widths 0 "a load of 8 bytes to a register of 32 bits"

# Nonsense, and CPUs in several threads.
vm_shared fuzz_short soc=xavier,policy=lazy
status=$?
says fuzz 0 alive
vm_shared fuzz_race soc=tx2 -smp 2 -accel tcg,thread=multi
status=$?
says threads 1 "thread=single"
vm_shared fuzz_race soc=tx2 -smp 2 -accel tcg,thread=single
status=$?
says "one thread" 0 "the channel died"

# A Linux boots with it, and its user adds to a syncpoint twice by hand (host1x at 0x10000; model/regs/host1x.def).
guest=$source/build/guest
if [ -f "$guest/base.cpio" ]; then
    mkdir -p "$work/root/etc/vtegra"
    cat >"$work/root/etc/vtegra/run" <<'END'
for d in /sys/bus/pci/devices/*; do ! grep -q 0x1110 $d/device || { echo 1 >$d/enable; sed -n '3s/ .*//p' $d/resource; }; done >bar
bar=$(cat bar); devmem $bar; devmem $((bar + 0x16400)) 32 0x20; devmem $((bar + 0x16400)) 32 0x20; echo "syncpoint $(devmem $((bar + 0x18094)))"
END
    "$source/qemu-plugin/guest/archive.sh" "$work/root" "$work/root.cpio"
    cat "$guest/base.cpio" "$work/root.cpio" >"$work/initrd"
    elf=$guest/vmlinuz vm_shared linux soc=orin -no-reboot -initrd "$work/initrd" \
        -append "console=ttyAMA0 quiet panic=-1 nokaslr rdinit=/init"
    status=$?
    says linux 0 0x47455456
    says linux 0 "syncpoint 0x00000002"
fi

# What does not fit together.
while read -r arguments text; do
    rm -f "$work/console"
    # shellcheck disable=SC2086 # several words
    machine=,memory-backend=ram vm engines "$(echo "$arguments" | sed "s,@,$files/,g")" \
        ${vm_ram}1G,mem-path=$files/ram $vm_window$files/window -device ivshmem-plain,memdev=window
    status=$?
    says "$arguments" 1 "$text"
done <<END
ivshmem=@window belong together
ram=@ram belong together
ivshmem=@window,ram=@ram,platform=on exclude each other
ivshmem=@window,ram=@ram,track=0x44000000+4096 ivshmem= and track= exclude each other
ivshmem=@nothing,ram=@ram -device ivshmem-plain,memdev=window
ivshmem=@ram,ram=@ram is no shared memory of this machine of 64 MiB
ivshmem=@window,ram=@nothing -machine memory-backend=ram
END
vm_window=$(echo "$vm_window" | sed 's/share=on/share=off/')
vm_shared engines soc=orin
status=$?
says share=off 1 "is no shared memory of this machine"
[ -z "$failed" ]
