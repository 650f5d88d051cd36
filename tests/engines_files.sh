#!/bin/sh
# SPDX-License-Identifier: MIT
# What an engine takes besides its folder and its test: at most four files, those of docs/add-an-engine.md without a
# condition. The engines of the second build (tests/engines_more.def has their rows) are named by no other file.
# Usage: engines_files.sh ROOT
cd "$1" || exit 2
page=docs/add-an-engine.md
bad=0
named=$(sed -n '/These files change:/,/^1\. /p' $page | grep '^| `' | grep -v 'only if' | cut -d'|' -f2 | grep -o '`[^`]*`' | tr -d '`')
count=$(echo "$named" | wc -l)
if [ -z "$named" ] || [ "$count" -gt 4 ]; then
    echo "$page: every engine changes $count files, four at most: $(echo $named)"
    bad=1
fi
for file in $named; do
    [ -f "$file" ] || {
        echo "$page names $file, which is not there"
        bad=1
    }
done
engines=$(sed -n 's,^#include "tests/\([a-z0-9]*\)/engines.def"$,\1,p' tests/engines_more.def)
[ "$(echo "$engines" | wc -l)" -ge 2 ] || {
    echo "tests/engines_more.def: two engines are wanted, one with several queues among them: $(echo $engines)"
    bad=1
}
for engine in $engines; do
    upper=$(echo "$engine" | tr '[:lower:]' '[:upper:]')
    for file in $(grep -rlE --include='*.[ch]' --include='*.def' --include='*.txt' --include='*.json' --include='*.sh' --include='*.py' \
        "\b${engine}_engine_ops\b|\b(UNIT|QUEUE|BUS_AGENT)_${upper}([0-9]+|_LAST)?\b|\btests/$engine/|\b$engine/$engine\.c\b" \
        model trace checker litmus runtime sched tools qemu-plugin docs tests CMakeLists.txt); do
        case $file in
        tests/"$engine"/* | tests/test_engines_together.c) ;; # its folder and its test; the test of several
        tests/engines_more.def) ;;                            # where the second build has its row
        *)
            echo "$named" | grep -qxF "$file" || {
                echo "$file names $engine, which needs its folder, its test and: tests/engines_more.def $(echo $named)"
                bad=1
            }
            ;;
        esac
    done
done
exit $bad
