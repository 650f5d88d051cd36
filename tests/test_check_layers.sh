#!/bin/sh
# SPDX-License-Identifier: MIT
# The layer check must fail for each kind of forbidden include and pass for allowed ones.
check=$1
root=$(mktemp -d) || exit 2
trap 'rm -rf "$root"' EXIT
failed=0

# verdict WANT FILE INCLUDE: WANT is "pass" or "fail"
verdict() {
    rm -rf "${root:?}"/*
    mkdir -p "$root/$(dirname "$2")"
    echo "#include $3" >"$root/$2"
    if "$check" "$root" >/dev/null; then got=pass; else got=fail; fi
    [ $got = "$1" ] && return
    echo "$2 including $3: want $1, got $got"
    failed=1
}

verdict pass model/smmu/smmu.c '"model/smmu/smmu.h"'
verdict pass model/smmu/smmu.c '"model/bus.h"'
verdict pass model/smmu/smmu.c '"model/regs/smmu_regs.h"'
verdict fail model/smmu/smmu.c '"model/soc.h"'
verdict fail model/smmu/smmu.c '"model/igpu/igpu.h"'
verdict fail model/smmu/smmu.c '"ptx/ptx.h"'
verdict fail model/smmu/smmu.c '"model/profile.h"'
verdict fail model/smmu/smmu.c '<pthread.h>'
verdict pass model/igpu/igpu.c '"ptx/ptx.h"'
verdict fail model/igpu/igpu.c '"model/smmu/smmu.h"'
verdict pass model/soc/soc.c '"model/smmu/smmu.h"'
verdict fail model/soc/soc.c '"runtime/hal.h"'
verdict fail model/soc.h '"runtime/hal.h"'
verdict pass model/smmu/smmu.c '"trace/record.h"'
verdict fail model/smmu/smmu.c '"trace/tracefile.h"'
verdict fail model/soc/soc.c '"checker/run/run.h"'
verdict pass trace/record.c '"model/values.h"'
verdict fail trace/record.c '"model/bus.h"'
verdict fail trace/record.c '"checker/run/run.h"'
verdict pass checker/run/run.c '"trace/record.h"'
verdict fail checker/run/run.c '"model/soc.h"'
verdict pass checker/run/run.c '"model/rules/kinds.h"'
verdict fail runtime/observe/check.c '"model/rules/kinds.h"'
verdict fail checker/run/run.c '"runtime/observe/check.h"'
verdict fail checker/hb/words.c '"include/cuda.h"'
verdict fail checker/print/json.c '<json-glib/json-glib.h>'
verdict fail checker/run/source.c '<elfutils/libdwfl.h>'
verdict fail checker/run/run.c '<pthread.h>'
verdict pass checker/run/run.c '<glib.h>'
verdict pass trace/tracefile.c '<sys/stat.h>'
verdict fail trace/note.c '<sys/stat.h>'
verdict pass qemu-plugin/report.c '"checker/run/run.h"'
verdict fail ptx/parse.c '"model/bus.h"'
verdict fail ptx/parse.c '"trace/record.h"'
verdict fail loadable/reader.c '"model/values.h"'
verdict fail loadable/reader.c '<dlfcn.h>'
verdict pass model/dla/engine.c '"model/engine.h"'
verdict fail model/dla/engine.c '"model/smmu/smmu.h"'
verdict fail model/dla/engine.c '"runtime/hal.h"'
verdict pass model/igpu/igpu.c '"model/values.h"'
verdict pass model/rules/port.c '"model/values.h"'
verdict fail model/rules/port.c '"model/bus.h"'
verdict fail trace/record.c '"runtime/hal.h"'
verdict pass litmus/cache.c '"model/rules/port.h"'
verdict fail litmus/cache.c '"model/iocoherency/iocoherency.h"'
verdict fail litmus/cache.c '"runtime/hal.h"'
verdict fail litmus/cache.c '<pthread.h>'
verdict fail sched/turn/turn.c '"trace/record.h"'
verdict pass qemu-plugin/board.c '"model/soc.h"'
verdict fail qemu-plugin/board.c '"runtime/hal.h"'
verdict fail qemu-plugin/board.c '"sched/sched.h"'
verdict fail runtime/api/cuda/memory.c '"model/values.h"'
verdict fail runtime/driver/module/launch.c '"model/bus.h"'
verdict fail runtime/driver/module/launch.c '"model/values.h"'
verdict fail runtime/driver/module/launch.c '"model/rules/kinds.h"'
verdict fail runtime/observe/access_log.c '"model/engines.h"'
verdict fail runtime/observe/access_log.c '"model/profile.h"'
verdict pass runtime/hal/inproc/inproc.c '"model/regs/regs.h"'
verdict pass runtime/hal/guest/guest.c '"model/regs/regs.h"'
verdict fail runtime/hal/guest/guest.c '"model/igpu/igpu.h"'
verdict fail runtime/driver/module/launch.c '<model/soc.h>'
verdict fail scenarios/mp/mp.c '"runtime/driver/driver.h"'
verdict pass runtime/api/cudart/memory.c '"include/cuda.h"'
verdict pass runtime/api/cudart/memory.c '<cuda.h>'
verdict fail runtime/api/cudart/memory.c '"runtime/driver/driver.h"'
verdict fail runtime/api/cudart/memory.c '"model/soc.h"'
verdict pass runtime/api/cuda/memory.c '"runtime/driver/driver.h"'
verdict fail runtime/api/cuda/memory.c '"model/soc.h"'
verdict fail runtime/api/cudla/cudla.c '"model/soc.h"'
verdict pass runtime/driver/module/launch.c '"ptx/ptx.h"'
verdict pass runtime/driver/module/launch.c '"runtime/hal.h"'
verdict fail runtime/driver/module/launch.c '"model/soc.h"'
verdict pass runtime/driver/device/device.c '"model/profile.h"'
verdict pass runtime/driver/array/texture.c '"runtime/driver/memory/region.h"'
verdict fail runtime/driver/memory/pool.c '"runtime/driver/module/module.h"'
verdict fail runtime/driver/core/wait.c '"runtime/driver/engines/dla/dla.h"'
verdict fail runtime/driver/memory/pool.c '"ptx/ptx.h"'
verdict fail runtime/driver/interop/egl/egl_stream.c '"runtime/driver/core/core.h"'
verdict pass sched/turn/turn.c '"sched/turn/turn.h"'
verdict pass sched/turn/turn.c '"runtime/track/track.h"'
verdict fail sched/turn/turn.c '"runtime/hal.h"'
verdict fail sched/turn/turn.c '"runtime/track/track_internal.h"'
verdict pass runtime/observe/access_log.c '"sched/sched.h"'
verdict fail runtime/observe/access_log.c '"sched/turn/turn.h"'
verdict fail runtime/driver/core/wait.c '"sched/turn/asleep.h"'
verdict fail runtime/preload/preload.c '"sched/start/start.h"'
verdict pass tools/explore/explore.c '"sched/start/forkserver.h"'
verdict fail tools/explore/explore.c '"sched/turn/turn.h"'
verdict fail runtime/observe/report.c '"model/soc.h"'
verdict pass runtime/observe/report.c '"checker/run/run.h"'
verdict pass runtime/hal/inproc/inproc.c '"model/soc.h"'
verdict fail runtime/hal/inproc/inproc.c '"model/igpu/igpu.h"'
verdict fail runtime/hal/inproc/inproc.c '"runtime/driver/driver.h"'
verdict fail runtime/hal/inproc/inproc.c '"profiles/profile.h"'
verdict pass runtime/hal/board/main.c '"profiles/profile.h"'
verdict fail runtime/hal/board/main.c '"runtime/hal/inproc/inproc.h"'
verdict fail runtime/hal/guest/guest.c '"model/soc.h"'
verdict fail runtime/hal.h '"model/soc.h"'
verdict fail qemu-plugin/adapter.c '"model/igpu/igpu.h"'
verdict fail qemu-plugin/adapter.c '"model/bus.h"'
verdict fail qemu-plugin/adapter.c '"model/profile.h"'
verdict fail qemu-plugin/adapter.c '"runtime/observe/check.h"'
verdict pass tools/trace/report.c '"checker/report.h"'
verdict fail tools/trace/report.c '"runtime/observe/check.h"'
verdict fail tools/run/run.c '"model/soc.h"'
verdict fail scenarios/mp/mp.c '"model/soc.h"'

# line WANT FILE LINE: the same of any line of a file
line() {
    rm -rf "${root:?}"/*
    mkdir -p "$root/$(dirname "$2")"
    echo "$3" >"$root/$2"
    if "$check" "$root" >/dev/null; then got=pass; else got=fail; fi
    [ $got = "$1" ] && return
    echo "$2 with $3: want $1, got $got"
    failed=1
}

line fail checker/run/run.c 'f = fopen(path, "r");'
line pass trace/reader.c 'f = fopen(path, "r");'
line fail checker/run/run.c 'g_file_get_contents(path, &text, NULL, NULL);'
line pass checker/run/run.c 'region_open(path);'
line fail trace/note.c 'getenv("HOME");'
exit $failed
