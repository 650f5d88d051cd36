#!/bin/sh
# Is a deliberate fault noticed? run.sh SOURCE_DIR PATCH LIBRARIES...
# A patch opens with "Rule:" (what it breaks) and "Test:" (the unit test that must fail with it).
set -eu
source=$1
patch=$2
shift 2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/tests"
cp -r "$source/model" "$source/ptx" "$dir/"
cp "$source"/tests/*.[ch] "$dir/tests/"
if ! patch -s -p1 -d "$dir" <"$patch"; then
    echo "the patch no longer fits the sources: bring $patch up to date"
    exit 1
fi
test=$(sed -n 's/^Test: //p' "$patch")
rig=
[ "$test" = soc ] && rig=$dir/tests/soc_rig.c
cd "$dir"
# shellcheck disable=SC2046,SC2086
cc -std=c17 -D_GNU_SOURCE -w -I. $(pkg-config --cflags glib-2.0 check) "tests/test_$test.c" $rig \
    model/iocoherency/*.c model/soc/*.c model/smmu/*.c model/host1x/*.c \
    model/igpu/igpu.c model/igpu/channel.c model/igpu/ce.c model/igpu/compute.c \
    "$@" $(pkg-config --libs glib-2.0 check) -lm -o mutant
if timeout 60 ./mutant >out 2>&1; then
    echo "NOT CAUGHT: $(sed -n 's/^Rule: //p' "$patch")"
    exit 1
fi
echo "caught by test_$test: $(grep -c ':[FE]:' out) checks failed"
