#!/bin/sh
# SPDX-License-Identifier: MIT
# ONNX models on the DLA: bench/onnx.sh [BUILD_DIR] (build/release). Size of MobileNetV2's loadable; memory and processor time of the import of
# ResNet-50 against its run, the least of three each. Exit status 1 if a figure is beyond its limit.
set -u
here=$(cd "$(dirname "$0")" && pwd)
vtegra=$(cd "${1:-$here/../build/release}" && pwd)/bin/vtegra
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
status=0
echo "load $(cut -d' ' -f1 /proc/loadavg)"

# cost WORD COMMAND...: "seconds of the processor, kilobytes" in the file WORD
cost() {
    python3 - "$work/$1" "$@" <<'PYTHON' || exit 2
import resource, subprocess, sys
least, before = float("inf"), 0
for _ in range(3):
    done = subprocess.run(sys.argv[3:], stderr=subprocess.DEVNULL)
    if done.returncode:
        sys.exit(done.returncode)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    least, before = min(least, used.ru_utime + used.ru_stime - before), used.ru_utime + used.ru_stime
with open(sys.argv[1], "w") as f:
    print(f"{least:.2f} {used.ru_maxrss * 1024 // 1000}", file=f)
PYTHON
}

head -c 301056 /dev/zero >"$work/image.raw" # 3 x 224 x 224 in fp16
for net in mobilenetv2 resnet50; do
    python3 "$here/onnx-models.py" $net "$work/$net.onnx" || exit 2
    cost $net.build "$vtegra" dla build "$work/$net.onnx" -o "$work/$net"
    cost $net.run "$vtegra" dla run -q "$work/$net" --input "$work/image.raw" --output "$work/out.raw"
    read -r build memory <"$work/$net.build"
    read -r run _ <"$work/$net.run"
    echo "$net: loadable $(stat -c %s "$work/$net") bytes, import $build s and $memory kB, run $run s"
    awk -v net=$net -v size="$(stat -c %s "$work/$net")" -v build="$build" -v memory="$memory" -v run="$run" 'BEGIN {
        if (net == "mobilenetv2") exit size > 12e6
        exit memory > 300000 || build > run }' || { echo "$net: beyond its limit (12 MB; 300 MB, no longer than the run)"; status=1; }
done
exit $status
