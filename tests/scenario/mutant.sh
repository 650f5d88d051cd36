#!/bin/sh
# SPDX-License-Identifier: MIT
# mutant.sh SOURCE_DIR PATCH: a rule of tools/scenario/scenario_file.c broken on purpose; test_scenario must notice.
set -eu
source=$1
patch=$2
. "$source/tests/mutate/patched.sh"
# shellcheck disable=SC2046
cc -std=gnu17 -D_GNU_SOURCE -w -O1 -I"$source" "-DSCENARIOS_DIR=\"$source/scenarios\"" "$source/tests/test_scenario.c" \
    "$dir/$broken" $(pkg-config --cflags --libs check glib-2.0) -o "$dir/mutant"
noticed "$dir/mutant"
