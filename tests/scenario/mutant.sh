#!/bin/sh
# SPDX-License-Identifier: MIT
# mutant.sh SOURCE_DIR PATCH: a rule of tools/scenario_file.c broken on purpose; test_scenario must notice.
set -eu
source=$1
patch=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/tools"
cp "$source/tools/scenario_file.c" "$dir/tools"
if ! patch -s -p1 -d "$dir" <"$patch"; then
    echo "the patch no longer fits the sources: bring $patch up to date"
    exit 1
fi
# shellcheck disable=SC2046
cc -std=gnu17 -D_GNU_SOURCE -w -O1 -I"$source" "-DSCENARIOS_DIR=\"$source/scenarios\"" "$source/tests/test_scenario.c" \
    "$dir/tools/scenario_file.c" $(pkg-config --cflags --libs check glib-2.0) -o "$dir/mutant"
if "$dir/mutant" >"$dir/out" 2>&1; then
    echo "NOT CAUGHT: $(sed -n 's/^Rule: //p' "$patch")"
    exit 1
fi
grep -q ':[FE]:' "$dir/out" || {
    cat "$dir/out"
    echo "the test did not run"
    exit 1
}
sed -n 's/.*\(:[FE]:.*\)/caught: \1/p' "$dir/out" | head -1
