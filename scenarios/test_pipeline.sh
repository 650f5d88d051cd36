#!/bin/sh
# test_pipeline.sh VTEGRA SOURCE_DIR WORK_DIR REFERENCE PHOTO [long]: every version on every SoC gives the picture
# that plain C++ gives, pixel for pixel; with "long" under each policy, else under one of them.
set -eu
vtegra=$1 source=$2 work=$3 reference=$4 photo=$5 thorough=${6:-}
mkdir -p "$work"
cd "$work"
"$photo" 150 97 >in.ppm
"$reference" in.ppm expected.ppm
policies="lazy eager"
for version in dgpu tegra; do
    "$vtegra" cc --arch sm_53 "$source/image_pipeline/pipeline_$version.cu" -o "pipeline_$version"
    for soc in nano tx2 xavier-nx xavier orin-nano orin-nx orin thor; do
        [ "$thorough" = long ] || case $policies in lazy) policies=eager ;; *) policies=lazy ;; esac
        for policy in $policies; do
            "$vtegra" run --quiet --soc $soc --policy $policy -- ./pipeline_$version in.ppm out.ppm
            cmp expected.ppm out.ppm
            rm out.ppm
        done
    done
done
"$vtegra" cc --arch sm_53 "$source/matrix_multiply/matrix_multiply.cu" -o matrix_multiply
for soc in tx2 orin; do
    "$vtegra" run --quiet --soc $soc -- ./matrix_multiply 50
done
