#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the tests of a build folder. A test that fails is run again alone: a busy machine must not fail a change, and a test that
# depends on it must not go unnoticed. Usage: run-tests.sh BUILD SEEN LOG COMMAND...
#   COMMAND  the first run: ctest with its selection; its output goes to LOG
#   SEEN     names of tests that failed and then passed, one a line; this script appends to it
#   tests/flaky.txt, beside this script's folder (or VTEGRA_FLAKY): the same, committed
#
# Where the second run passes, the test counts as passed, and "flaky: NAME" is printed last. Both outputs are kept in
# BUILD/flaky/NAME.{first,again}.log. A name that stands in SEEN or in the committed list fails: once is the machine, twice is the
# test. Never repeated are tests labelled no_rerun (same input, same output: there one difference is the defect), and anything
# where more than 10 tests fail.
#
# The last lines are ctest's sum, with what passed on repetition taken out, and the flaky names. Exit status 0: all passed.
set -eu
build=$1 seen=$2 log=$3
shift 3
known=${VTEGRA_FLAKY:-$(cd "$(dirname "$0")/.." && pwd)/tests/flaky.txt}
most=10
kept=$build/flaky
temporary=$build/Testing/Temporary
rm -rf "$kept"

status=0
"$@" >"$log" 2>&1 || status=$?
summary=$(grep -E '^[0-9]+% tests passed, [0-9]+ tests failed out of [0-9]+$' "$log") || {
    cat "$log"
    echo "ctest ended with status $status and no sum"
    exit 1
}
all=${summary##* }

# NAME and how it failed, of the list that ctest prints behind its sum: "	  3 - NAME (Failed)   label".
failures=$(sed -n 's/^[[:space:]]*[0-9]* - \([^ ]*\) (\([A-Za-z ]*\)).*/\1 \2/p' "$log" | grep -vE ' (Skipped|Disabled)$' || true)
bad=$(printf '%s' "$failures" | grep -c . || true)
[ $status = 0 ] || [ "$bad" != 0 ] || bad=1

# The names listed in $1, without comments.
names() {
    [ ! -f "$1" ] || sed 's/[[:space:]]*#.*//; /^$/d; s/[[:space:]].*//' "$1"
}

# What test $1 printed in the run that ctest's log $2 is of.
output_of() {
    awk -v name="$1" '
        / Testing: / || /^[0-9]+\/[0-9]+ Test(ing)?: / { on = $NF == name }
        on' "$2"
}

# Test $1 alone, with what it needs (fixtures).
run_again() {
    ctest --test-dir "$build" -V --no-tests=error -R "^$(printf %s "$1" | sed 's/[^A-Za-z0-9_-]/[&]/g')\$"
}

flaky=
if [ "$bad" -le $most ] && [ -n "$failures" ]; then
    mkdir -p "$kept"
    cp "$temporary/LastTest.log" "$kept/first.log" # every other call of ctest, even -N, writes it anew
    exact=$(ctest --test-dir "$build" -N -L '^no_rerun$' | sed -n 's/^ *Test *#[0-9]*: \([^ ]*\).*/\1/p')
    while read -r name how; do
        if printf '%s\n' "$exact" | grep -qxF "$name"; then
            echo "FAIL: $name ($how); a test labelled no_rerun is not repeated"
            continue
        fi
        output_of "$name" "$kept/first.log" >"$kept/$name.first.log"
        if ! run_again "$name" >"$kept/$name.again.log" 2>&1; then
            echo "FAIL: $name ($how), and again when run alone"
        elif [ "$how" = "Not Run" ]; then
            bad=$((bad - 1)) # what it needs failed, and has a line of its own
        elif { names "$seen" && names "$known"; } | grep -qxF "$name"; then
            echo "FAIL: $name ($how) passes when run alone, and did so before: mend it, then take it off $seen and tests/flaky.txt"
        else
            bad=$((bad - 1))
            flaky="$flaky $name"
            echo "$name" >>"$seen"
        fi
    done <<LIST
$failures
LIST
    rm "$kept/first.log"
fi

echo "$(((all - bad) * 100 / all))% tests passed, $bad tests failed out of $all"
for name in $flaky; do
    echo "flaky: $name"
done
[ "$bad" = 0 ]
