#!/bin/sh
# SPDX-License-Identifier: MIT
# Fails when a folder includes a header that the architecture does not allow it to see. Usage: check_layers.sh ROOT
cd "$1" || exit 2
bad=0

# The quoted includes of the C files below $1, as file:line:text. -s: a half-written file may vanish meanwhile.
includes() {
    grep -rns --include='*.[ch]' --include='*.def' -E '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' "$1"
}

# allow DIR REGEX [SKIP]: every quoted include below DIR starts with REGEX; files whose path matches SKIP have a rule of their own.
allow() {
    [ -d "$1" ] || return 0
    out=$(includes "$1" | grep -Ev "^(${3:-/})" | grep -Ev "include[[:space:]]*\"($2)") || return 0
    echo "$1 may include only $2:"
    echo "$out"
    bad=1
}

# model/: a unit sees itself, the bus, the registers, the trace and the plain figures of the profile.
if [ -d model ]; then
    for dir in model/*/; do
        unit=$(basename "$dir")
        case $unit in
        soc) allow model/soc 'model/' ;;
        igpu) allow model/igpu 'model/(igpu/|regs/|bus\.h|trace|profile)|ptx/' ;;
        *) allow "model/$unit" "model/($unit/|regs/|bus\.h|trace|profile)" ;;
        esac
    done
    allow model 'model/' 'model/[^/:]*/' # the headers that lie in model/ itself
fi

allow ptx 'ptx/'

# runtime/: the API libraries and the core know the HAL, only a HAL knows the model. Plain data is for everybody: a SoC's
# figures, the records of a trace (and the agents they name), the registers a driver writes.
allow runtime/cudart 'include/|runtime/cudart/'
for dir in cuda cudla nvsci egl; do
    allow "runtime/$dir" 'runtime/|include/|ptx/'
done
allow runtime/driver 'runtime/|include/|ptx/|loadable/|model/(profile\.|trace\.|regs/)|profiles/profile\.h'
# Loaded before the program's own libraries: the C library only.
allow runtime/sched 'runtime/(sched/|track/track\.h)'
allow runtime/preload 'runtime/(preload|sched|track)/'
allow runtime/check 'runtime/|include/|ptx/|model/(profile\.|trace\.|bus\.h)'
for hal in inproc board; do
    allow "runtime/hal/$hal" "runtime/hal\.h|runtime/hal/([a-z]*\.h|$hal/)|model/(soc\.h|regs/|profile)|(profiles/profile|contract/contract)\.h"
done
allow runtime/hal/guest 'runtime/hal\.h|runtime/hal/([a-z]*\.h|guest/)|model/(regs/|bus\.h)|contract/contract\.h|qemu-plugin/(control|record|track)\.(h|def)'
out=$(includes runtime 2>/dev/null | grep -E '^runtime/[^/]*\.[ch]:' | grep -E '"model/' | grep -vE '"model/(profile|trace)\.')
if [ -n "$out" ]; then
    echo "headers of runtime/ itself must not show the model:"
    echo "$out"
    bad=1
fi

allow qemu-plugin 'qemu-plugin/|model/(soc\.h|bus\.h|trace\.(h|def)|regs/|profile)|(profiles/profile|contract/contract)\.h' qemu-plugin/user/
# User mode is a board server.
allow qemu-plugin/user 'qemu-plugin/qemu_abi\.h|runtime/hal/(share|board/board)\.h|profiles/profile\.h'
allow profiles 'profiles/|model/profile'
allow contract 'contract/'
allow litmus 'litmus/|model/profile'
allow loadable 'loadable/'
allow tools 'tools/|ptx/(ptx|decode)\.h|litmus/|loadable/|model/dla/|profiles/|model/profile|include/|runtime/driver/(fatbin|rules)\.h|runtime/cuda/errors\.def|runtime/check/(shell|tracefile)\.h|runtime/sched/(decide|forkserver)\.h'
allow scenarios 'scenarios/|include/|[^/]*"$' # API headers and files beside the program

# model/ is a pure library: no threads, no clock, no dynamic loading, no CUDA, no QEMU. ptx/ likewise.
for dir in model ptx; do
    [ -d $dir ] || continue
    if grep -rnsE --include='*.[ch]' \
        '^[[:space:]]*#[[:space:]]*include[[:space:]]*<(qemu|dlfcn|pthread|threads|time|sys/time|unistd|signal|cuda|cudla|nvsci|EGL)' $dir; then
        echo "$dir is a pure library"
        bad=1
    fi
done
exit $bad
