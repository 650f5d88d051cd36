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
verdict fail model/smmu/smmu.c '<pthread.h>'
verdict pass model/igpu/igpu.c '"ptx/ptx.h"'
verdict fail model/igpu/igpu.c '"model/smmu/smmu.h"'
verdict pass model/soc/soc.c '"model/smmu/smmu.h"'
verdict fail model/soc/soc.c '"runtime/hal.h"'
verdict fail model/soc.h '"runtime/hal.h"'
verdict fail ptx/parse.c '"model/bus.h"'
verdict pass runtime/cudart/memory.c '"include/cuda.h"'
verdict pass runtime/cudart/memory.c '<cuda.h>'
verdict fail runtime/cudart/memory.c '"runtime/driver/driver.h"'
verdict fail runtime/cudart/memory.c '"model/soc.h"'
verdict pass runtime/driver/launch.c '"ptx/ptx.h"'
verdict pass runtime/driver/launch.c '"runtime/hal.h"'
verdict fail runtime/driver/launch.c '"model/soc.h"'
verdict pass runtime/driver/device.c '"model/profile.h"'
verdict fail runtime/check/report.c '"model/soc.h"'
verdict pass runtime/hal/inproc/inproc.c '"model/soc.h"'
verdict fail runtime/hal/inproc/inproc.c '"model/igpu/igpu.h"'
verdict fail runtime/hal/inproc/inproc.c '"runtime/driver/driver.h"'
verdict fail runtime/hal/guest/guest.c '"model/soc.h"'
verdict fail runtime/hal.h '"model/soc.h"'
verdict fail qemu-plugin/adapter.c '"model/igpu/igpu.h"'
verdict fail tools/run.c '"model/soc.h"'
verdict fail scenarios/mp/mp.c '"model/soc.h"'
exit $failed
