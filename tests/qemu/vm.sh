# SPDX-License-Identifier: GPL-2.0-or-later
# For the tests in this folder: runs one bare-metal program. . vm.sh SOURCE BUILD QEMU
set -u
source=$1
build=$2
qemu=$3
work=$(mktemp -d)
files=$work # vm_files
trap 'rm -rf "$work" "$files"' EXIT
export VTEGRA_PROFILES="$source/profiles"
failed=

# A plugin with ASan wants its library first. QEMU's coroutines and what it never frees are its own business.
sanitized=
if [ -n "${VTEGRA_PRELOAD:-}" ]; then
    sanitized="env LD_PRELOAD=$VTEGRA_PRELOAD ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=0"
fi

# vm PROGRAM PLUGIN_ARGUMENTS [QEMU_ARGUMENTS...]: console in $work/console, report in $work/report, messages in
# $work/err. Return: the program's status; 124 after 60 s.
vm() {
    vm_elf=${elf:-$build/bare/$1.elf}
    vm_plugin=$2
    shift 2
    rm -f "$work/report"
    # shellcheck disable=SC2086 # several words
    timeout -k 5 "${limit:-60}" $sanitized "$qemu" -M "virt,gic-version=3${machine:-}" -cpu "${cpu:-cortex-a57}" -m 1G -nic none -display none \
        -monitor none -serial "file:$work/console" -semihosting -kernel "$vm_elf" \
        -plugin "$build/lib/vtegra-qemu.so,$vm_plugin,report=$work/report" "$@" </dev/null 2>"$work/err"
}

# The machine's RAM and the window as files, for ivshmem=; $files: where they lie.
vm_ram="-object memory-backend-file,id=ram,share=on,size="
vm_window="-object memory-backend-file,id=window,share=on,size=64M,mem-path="

# vm_files: sets $files
vm_files() {
    [ ! -w /dev/shm ] || files=$(mktemp -d /dev/shm/vtegra.XXXXXX)
}

# vm_shared PROGRAM PLUGIN_ARGUMENTS [QEMU_ARGUMENTS...]: as vm, with the board behind ivshmem. $ram_bytes: 1G
vm_shared() {
    vm_program=$1
    vm_arguments=$2
    shift 2
    rm -f "$files/ram" "$files/window"
    # shellcheck disable=SC2086 # several words
    machine=,memory-backend=ram vm "$vm_program" "$vm_arguments,ivshmem=$files/window,ram=$files/ram" \
        $vm_ram${ram_bytes:-1G},mem-path=$files/ram $vm_window$files/window -device ivshmem-plain,memdev=window "$@"
}

fail() {
    echo "FAILED: $*"
    failed=1
}
