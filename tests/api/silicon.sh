#!/bin/sh
# SPDX-License-Identifier: MIT
# silicon.sh LIB OUT: the same programs with NVIDIA's runtime and with the one in LIB, on NVIDIA's driver. Needs a
# GPU, its driver and nvcc 13. What NVIDIA's runtime prints is left in OUT; the exit status is 0 where both agree.
here=$(cd "$(dirname "$0")" && pwd)
lib=$(cd "$1" && pwd) || exit 2
out=$2
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
arch=${ARCH:-native}
flags="-std=c++17 -diag-suppress 1444 -Xcompiler -Wno-deprecated-declarations"

# build NAME SOURCES... -- FLAGS...: NAME.nvidia (shared), NAME.shared and NAME.static (ours). The shared ones differ by
# nothing but the library that the loader finds.
build() {
    name=$1
    shift
    # shellcheck disable=SC2086
    {
        nvcc $flags "$@" -cudart shared -o "$work/$name.nvidia" &
        nvcc $flags "$@" -L"$lib" -o "$work/$name.static" &
        wait
    } 2>&1 | grep -iE 'error|cannot' && exit 2
    cp "$work/$name.nvidia" "$work/$name.shared"
}

# run NAME SECONDS [ARGUMENTS]
run() {
    name=$1
    limit=$2
    shift 2
    for kind in nvidia shared static; do
        [ $kind = shared ] && path=$lib || path=
        {
            LD_LIBRARY_PATH=$path${path:+:}$LD_LIBRARY_PATH timeout "$limit" "$work/$name.$kind" "$@" \
                >"$out/$name.$kind.txt" 2>"$out/$name.$kind.err"
            echo "exit status $?" >>"$out/$name.$kind.txt"
        } &
    done
    wait
    for kind in shared static; do
        if diff "$out/$name.nvidia.txt" "$out/$name.$kind.txt" >"$out/$name.$kind.diff"; then
            echo "$name, our runtime ($kind): same as NVIDIA's, $(wc -l <"$out/$name.nvidia.txt") lines"
        else
            echo "$name, our runtime ($kind): differs"
            sed 's/^/    /' "$out/$name.$kind.diff" | head -"${LINES_SHOWN:-300}"
            bad=1
        fi
        [ -s "$out/$name.$kind.err" ] && sed "s/^/    $kind: /" "$out/$name.$kind.err" | head -20
    done
}

build work "$here/cudart_work.cu" -arch="$arch"
build work_ptx "$here/cudart_work.cu" -gencode arch=compute_80,code=compute_80
build work_thread "$here/cudart_work.cu" -arch="$arch" --default-stream per-thread
build codes "$here"/cudart_codes*.cu -rdc=true -arch="$arch"
# Machine code runs on devices of the same major version alone: no device runs both of these.
build nocode "$here/cudart_nocode.cu" -gencode arch=compute_"${WRONG:-80}",code=sm_"${WRONG:-80}"
run work 60 properties
run work_ptx 60
run work_thread 60
run nocode 60
run codes 200
exit $bad
