#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The published register traces of the NVDLA give their CRCs, driven by a bare-metal guest through the DLA's registers.
# They lie beside the project (shared/nvdla) or not at all: then this test is skipped. Usage: nvdla.sh SOURCE BUILD QEMU
. "$(dirname "$0")/vm.sh"
traces=${NVDLA_TRACES:-$source/../shared/nvdla/traces/nv_small}
if [ ! -d "$traces" ]; then
    echo "skipped: no $traces"
    exit 77
fi
vm_files

# The traces are for the small configuration; those of the element-wise stage need an option that it has not.
sed 's/^config = nv_full /config = nv_small /' "$source/profiles/xavier.profile" >"$work/small.profile"
for dir in "$traces"/*/; do
    name=$(basename "$dir")
    case $name in *_ew_*) continue ;; esac
    echo "@trace $name"
    for file in "$dir"*; do
        case $file in *.cfg) continue ;; esac
        echo "@file $(basename "$file")"
        cat "$file"
        echo
    done
    echo "@config"
    cat "$dir$name.cfg"
    echo
done >"$work/traces"
printf '\0' >>"$work/traces"

# passed HOW: of the run before
passed() {
    cat "$work/console"
    [ $status = 0 ] || fail "$1: status $status: $(cat "$work/err")"
    grep -qE '^([7-9][0-9]|[1-9][0-9][0-9]) passed, 0 failed' "$work/console" || fail "$1: fewer than 70 traces passed"
}

loader="-m 3G -device loader,file=$work/traces,addr=0xc0000000,force-raw=on"
# shellcheck disable=SC2086 # several words
vm nvdla_traces "soc=$work/small.profile,platform=on,cpu=off" $loader
status=$?
passed platform=on
# shellcheck disable=SC2086
ram_bytes=3G vm_shared nvdla_traces "soc=$work/small.profile" $loader
status=$?
passed ivshmem=
[ -z "$failed" ]
