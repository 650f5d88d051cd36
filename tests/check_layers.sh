#!/bin/sh
# SPDX-License-Identifier: MIT
# Fails when a folder includes a header that the architecture does not allow it to see (docs/architecture.md). Usage:
# check_layers.sh ROOT
cd "$1" || exit 2
bad=0

# The quoted includes of the C files below $1, as file:line:text. -s: a half-written file may vanish meanwhile.
includes() {
    grep -rns --include='*.[ch]' --include='*.def' -E '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' "$1"
}

# allow DIR REGEX [SKIP]: every quoted include below DIR starts with REGEX; files whose path matches SKIP have a rule of their own.
allow() {
    [ -e "$1" ] || return 0
    out=$(includes "$1" | grep -Ev "^(${3:-/})" | grep -Ev "include[[:space:]]*\"($2)") || return 0
    echo "$1 may include only $2:"
    echo "$out"
    bad=1
}

# model/: a unit sees itself, the bus, the rules, the registers and the trace; an engine, what it is to the SoC (engine.h).
if [ -d model ]; then
    for dir in model/*/; do
        unit=$(basename "$dir")
        case $unit in
        soc) allow model/soc 'model/|trace/record\.' ;;
        igpu) allow model/igpu 'model/(igpu/|rules/|regs/|bus\.h|profile\.h|values\.h)|trace/record\.|ptx/' ;;
        library) allow model/library 'model/(library/|picture/|bus\.h)|include/vtegra/curand_jumps\.h' ;;
        rules) allow model/rules 'model/(rules/|profile|values\.h|engines\.h)' ;;
        vic) allow model/vic 'model/(vic/|picture/|rules/|regs/|bus\.h|engine\.h|values\.h)|trace/record\.' ;;
        *) allow "model/$unit" "model/($unit/|rules/|regs/|bus\.h|engine\.h|sensor\.h|values\.h)|trace/record\." ;;
        esac
    done
    allow model 'model/|trace/record\.h' 'model/[^/:]*/' # the headers that lie in model/ itself
fi

allow ptx 'ptx/'

# Records, and what is found in them: of the model only the numbers that records carry.
allow trace 'trace/|model/(values|engines)\.h'
allow checker 'checker/|trace/|model/((values|engines)\.h|rules/)'

# runtime/: the API libraries and the core know the HAL, only a HAL knows the model. The driver has its plain data: the
# registers that a driver writes, the SoC's figures, and what its port and its features are; and the reader of loadables.
allow runtime/api/cudart 'include/|runtime/api/cudart/'
# Libraries of mathematics: on the public driver API, and on the model's plain description of a call.
allow runtime/api/library 'include/|runtime/api/library/|model/library/call\.h'
allow runtime/api/curand 'include/|runtime/api/(library|curand)/|model/library/random/random\.h'
allow runtime/api/cusolver 'include/|runtime/api/(library|cusolver)/|model/library/direct/direct\.h'
for dir in cublas cublaslt cufft cusparse; do
    allow "runtime/api/$dir" "include/|runtime/api/(library|$dir)/"
done
for dir in cuda cudla nvsci nvmedia nvmedia5 egl; do
    allow "runtime/api/$dir" 'runtime/|include/|checker/|trace/|ptx/'
done
allow runtime/api/nvbuf 'runtime/|include/|model/(regs/vic|library/call)\.h'
allow runtime/api/v4l2 'runtime/|include/|sched/calls/device\.h|model/(regs/vi|sensor)\.h'
allow runtime/driver 'runtime/driver/' 'runtime/driver/[^:]*/'
# room NAME ROOMS [MORE]: the rooms of the driver that a room sees beside itself and core, and what it alone reads.
room() {
    allow "runtime/driver/$1" "runtime/driver/(driver\.h|($1|core${2:+|$2})/)|runtime/(hal\.h|hal/kinds\.h|observe/)|sched/sched\.h|include/|checker/|model/(profile\.h|regs/|rules/(port|features)\.h)${3:+|$3}" "runtime/driver/$1/[^:]*/"
}
room core 'device|memory|module|stream'
room device 'array|memory|module|stream' 'profiles/profile\.h|ptx/'
room memory 'array|device|stream' 'runtime/preload/memory_text\.h'
room stream 'device|memory|module' 'ptx/'
room module 'device|memory|stream' 'ptx/'
room array 'device|memory|module|stream'
room engines 'device|memory|stream'
room engines/dla 'device|engines|memory|module|stream' 'loadable/'
room engines/vi 'device|engines|memory|stream'
room engines/vic 'device|engines|memory|stream'
room interop/egl 'array|device|memory|stream'
room interop/gl 'array|device|interop/egl|memory|stream'
room interop/sci ''
# The state machine of EGLStreams: pure.
allow runtime/driver/interop/egl/egl_stream.c 'runtime/driver/interop/egl/egl_(stream|values)\.h'
allow runtime/driver/interop/egl/egl_stream.h 'runtime/driver/interop/egl/egl_values\.h'
# Loaded before the program's own libraries: the C library only.
allow sched 'sched/|runtime/track/track\.h'
allow runtime/calls 'runtime/calls/|calls_list\.h'
allow runtime/preload 'runtime/(preload|track)/|runtime/api/v4l2/video\.h|sched/(sched|calls/device)\.h'
allow runtime/observe 'runtime/|sched/sched\.h|include/|checker/|trace/|ptx/|model/values\.h'
allow runtime/camera 'runtime/camera/|model/sensor\.h'
allow runtime/hal/inproc 'runtime/camera/camera\.h|runtime/hal\.h|runtime/hal/([a-z]*\.h|inproc/)|model/(soc\.h|regs/|rules/|values\.h)|trace/'
allow runtime/hal/board 'runtime/hal\.h|runtime/hal/([a-z]*\.h|board/)|model/(soc\.h|regs/|rules/|values\.h|engines\.h)|trace/|(profiles/profile|contract/contract)\.h'
allow runtime/hal/guest 'runtime/hal\.h|runtime/hal/([a-z]*\.h|guest/)|model/(regs/|rules/|values\.h)|trace/|contract/contract\.h|qemu-plugin/(control|record|track)\.(h|def)'
out=$(includes runtime 2>/dev/null | grep -E '^runtime/[^/]*\.[ch]:' | grep -E '"model/' | grep -vE '"model/(profile|values)\.')
if [ -n "$out" ]; then
    echo "headers of runtime/ itself must not show the model:"
    echo "$out"
    bad=1
fi

allow qemu-plugin 'qemu-plugin/|model/(soc\.h|regs/|values\.h|engines\.h)|trace/|checker/|(profiles/profile|contract/contract)\.h' qemu-plugin/user/
# User mode is a board server.
allow qemu-plugin/user 'qemu-plugin/qemu_abi\.h|runtime/hal/(share|board/(board|address))\.h|profiles/profile\.h'
allow profiles 'profiles/|model/(profile|rules/)'
allow contract 'contract/'
allow litmus 'litmus/|trace/|model/(profile\.h|values\.h|engines\.h|rules/)'
allow viewer 'viewer/|litmus/|checker/|trace/|profiles/|model/(profile|values\.h|engines\.h|rules/)'
allow loadable 'loadable/'
# The builder of loadables: of the model the configurations and numbers of a DLA.
allow dlabuild 'dlabuild/|loadable/|model/dla/(buffer|dla|fp|num)\.h|profiles/nearest\.h'
allow tools 'tools/|dlabuild/|ptx/(ptx|decode)\.h|litmus/|loadable/|model/dla/|profiles/|model/(profile|rules/)|include/|runtime/driver/(module/fatbin\.h|core/rules\.h|device/figures\.def)|runtime/hal/board/address\.h|runtime/api/cuda(rt)?/errors\.def|runtime/observe/shell\.h|runtime/preload/memory_text\.h|runtime/camera/camera\.h|checker/|trace/|sched/(decide|start/forkserver|processes/round)\.h'
allow scenarios 'scenarios/|include/|[^/]*"$' # API headers and files beside the program

# Our own headers stand in quotes, where the rules above see them.
out=$(grep -rnsE --include='*.[ch]' --include='*.def' \
    '^[[:space:]]*#[[:space:]]*include[[:space:]]*<(model|trace|checker|litmus|ptx|loadable|dlabuild|sched|runtime|qemu-plugin|tools|profiles|contract)/' \
    model trace checker litmus ptx loadable dlabuild sched runtime qemu-plugin tools profiles contract scenarios)
if [ -n "$out" ]; then
    echo "our own headers are included in quotes:"
    echo "$out"
    bad=1
fi

# model/ is a pure library: no threads, no clock, no dynamic loading, no CUDA, no QEMU. ptx/ likewise.
for dir in model ptx; do
    [ -d $dir ] || continue
    if grep -rnsE --include='*.[ch]' \
        '^[[:space:]]*#[[:space:]]*include[[:space:]]*<(qemu|dlfcn|pthread|threads|time|sys/time|unistd|signal|cuda|cudla|nvsci|EGL)' $dir; then
        echo "$dir is a pure library"
        bad=1
    fi
done
# trace/, checker/, litmus/ and loadable/ likewise, and without the libraries of a live process: they can become WebAssembly.
# Files are read and written by two files of trace/ alone.
for dir in trace checker litmus loadable; do
    [ -d $dir ] || continue
    if grep -rnsE --include='*.[ch]' \
        '^[[:space:]]*#[[:space:]]*include[[:space:]]*<(qemu|dlfcn|pthread|threads|stdatomic|time|sys/|unistd|fcntl|signal|ucontext|unwind|json-glib|gio|glib-object|gmodule|elfutils|dwarf|libelf|elf|cuda|cudla|nvsci|EGL)' \
        $dir | grep -vE '^trace/tracefile\.[ch]:'; then
        echo "$dir is a pure library"
        bad=1
    fi
    if grep -rnsE --include='*.[ch]' '\<(fopen|fdopen|freopen|open|popen|getenv|g_getenv|g_file_[a-z_]+|g_spawn_[a-z_]+|g_thread_[a-z]+|g_mutex_[a-z]+|g_get_(real|monotonic)_time)\(' \
        $dir | grep -vE '^trace/(tracefile|reader)\.c:'; then
        echo "$dir has no files but through trace/reader.c and trace/tracefile.c, no environment, no thread and no clock"
        bad=1
    fi
done
exit $bad
