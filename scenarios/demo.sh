#!/bin/sh
# The image pipeline of CUDA for Tegra 3.2 on three virtual SoCs: as written for a discrete GPU, and as
# ported to Tegra. demo.sh [PHOTO.ppm]   (VTEGRA: the command to use, OUT: where files go)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
vtegra=${VTEGRA:-vtegra}
out=${OUT:-$(mktemp -d)}
mkdir -p "$out"

if [ $# -gt 0 ]; then
    photo=$1
else
    photo=$out/photo.ppm
    cc -O2 -o "$out/photo" "$here/photo/photo.c"
    "$out/photo" 512 512 >"$photo"
fi
for program in image_pipeline/pipeline_dgpu image_pipeline/pipeline_tegra matrix_multiply/matrix_multiply; do
    "$vtegra" cc --track "$here/$program.cu" -o "$out/${program#*/}"
done

for soc in tx2 xavier orin; do
    for version in dgpu tegra; do
        echo
        echo "==== $soc: $(basename "$photo") through pipeline_$version ===="
        "$vtegra" run --soc $soc --report "$out/$soc-$version.txt" -- \
            "$out/pipeline_$version" "$photo" "$out/$soc-$version.ppm"
        cat "$out/$soc-$version.txt"
        cmp "$out/$soc-$version.ppm" "$out/tx2-dgpu.ppm"
    done
    echo
    echo "==== $soc: matrix multiplication (3.3) ===="
    "$vtegra" run --soc $soc --report "$out/$soc-matrix.txt" -- "$out/matrix_multiply"
done

echo
echo "==== The same pictures came out of all six runs: $out/tx2-dgpu.ppm and others ===="
echo
echo "                              virtual time   uncached CPU accesses   copies"
for soc in tx2 xavier orin; do
    for version in dgpu tegra; do
        awk -v name="$soc pipeline_$version" '
            /^  virtual time/ { time = $3 " " substr($4, 1, 2) }
            / all [0-9]+$/ { want = 1; n += $NF; next }
            / all [0-9]+ uncached/ { for (i = 1; i < NF; i++) if ($i == "all") n += $(i + 1) }
            / -> / { copies++ }
            END { printf "  %-24s %15s %20d %11d\n", name, time, n, copies }' "$out/$soc-$version.txt"
    done
done
cat <<'TEXT'

What it teaches: on the TX2 (compute capability 6.2, not I/O coherent) pinned memory is not cached on
the CPU, and readImage() pays for every access; the port to unified memory takes that away and both
copies with it. On Xavier and Orin pinned memory is cached on the CPU, so there only the copies were in
vain. (CUDA for Tegra, Table 1, 2.1 and 3.2; the times are the model's, for comparison on one board.)
TEXT
