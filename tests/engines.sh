#!/bin/sh
# SPDX-License-Identifier: MIT
# An engine is one row of model/engines.def: who else names it by hand stands in tests/engines.txt, ten files at most.
# Usage: engines.sh ROOT
cd "$1" || exit 2
list=tests/engines.txt
bad=0
names=$(sed -n 's/^ENGINE(\([A-Z0-9_]*\), \([a-z0-9_]*\),.*/\1 \2/p' model/engines.def)
[ -n "$names" ] || {
    echo "no ENGINE row found in model/engines.def"
    exit 1
}
used=$(echo "$names" | while read -r upper lower; do
    grep -rlE --include='*.[ch]' --include='*.def' "\b(BUS_AGENT|UNIT|QUEUE)_$upper([0-9]+|_LAST)?\b" model runtime qemu-plugin litmus trace \
        checker sched tools 2>/dev/null | grep -v "^model/$lower/"
done | sort -u)
# A line may name a folder, with a slash at its end.
listed() {
    grep -q "^$1: ." $list || grep -q "^$(dirname "$1")/: ." $list || grep -q "^$(dirname "$(dirname "$1")")/: ." $list
}
for file in $used; do
    listed "$file" || {
        echo "$file names an engine by hand: take it from model/engines.def, or give the reason in $list"
        bad=1
    }
done
for file in $(sed -n 's/^\([^#:]*\): .*/\1/p' $list); do
    echo "$used" | grep -q "^$file" || {
        echo "$list: $file names no engine: remove the line"
        bad=1
    }
done
count=$(grep -c '^[^#]' $list)
[ "$count" -le 10 ] || {
    echo "$list: $count files, ten at most"
    bad=1
}
exit $bad
