#!/bin/sh
# SPDX-License-Identifier: MIT
# scripts/run-tests.sh on a build folder made here, whose tests fail as these files say: NAME.fails: how many runs of it fail first.
# Usage: test_run_tests.sh RUN_TESTS_SH
set -eu
run_tests=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir build
bad=0

# A test that fails as often as its file says, and counts its runs in another.
cat >unit.sh <<'UNIT'
#!/bin/sh
runs=$(($(cat "$1.runs" 2>/dev/null || echo 0) + 1))
echo $runs >"$1.runs"
echo "run $runs of $1"
[ $runs -gt "$(cat "$1.fails" 2>/dev/null || echo 0)" ]
UNIT
chmod +x unit.sh

# project NAME... : tests of these names; exact_* is labelled no_rerun, needs_NAME needs what NAME sets up.
project() {
    rm -rf build ./*.runs ./*.fails
    mkdir build
    for name in "$@"; do
        echo "add_test($name \"$work/unit.sh\" \"$work/$name\")"
        case $name in
        exact_*) echo "set_tests_properties($name PROPERTIES LABELS \"once;no_rerun\")" ;;
        needs_*) echo "set_tests_properties($name PROPERTIES FIXTURES_REQUIRED ${name#needs_})" ;;
        setup*) echo "set_tests_properties($name PROPERTIES FIXTURES_SETUP $name)" ;;
        esac
    done >build/CTestTestfile.cmake
}

# fails NAME RUNS: its first RUNS runs fail
fails() {
    echo "$2" >"$1.fails"
}

# run STATUS WHAT: the exit status, and $out
run() {
    what=$2
    got=0
    out=$(VTEGRA_FLAKY=$work/known.txt "$run_tests" build seen.txt build/log ctest --test-dir build --output-on-failure 2>&1) || got=1
    [ "$got" = "$1" ] || wrong "status $got"
}

wrong() {
    echo "FAIL: $what: $1"
    echo "$out" | sed 's/^/    /'
    bad=1
}

last() {
    [ "$(echo "$out" | tail -1)" = "$1" ] || wrong "the last line is not '$1'"
}

line() {
    echo "$out" | grep -qxF "$1" || wrong "no line '$1'"
}

runs() {
    [ "$(cat "$1.runs")" = "$2" ] || wrong "$1 ran $(cat "$1.runs") times, not $2"
}

project good other
run 0 'all pass'
last '100% tests passed, 0 tests failed out of 2'
runs good 1
[ ! -e seen.txt ] || wrong 'a name was noted'

project good shaky
fails shaky 1
run 0 'a test that passes when it is repeated'
line '100% tests passed, 0 tests failed out of 2'
last 'flaky: shaky'
runs shaky 2
runs good 1
[ "$(cat seen.txt)" = shaky ] || wrong 'its name was not noted'
grep -q "run 1 of $work/shaky" build/flaky/shaky.first.log || wrong 'no log of its first run'
! grep -q "good" build/flaky/shaky.first.log || wrong "another test's output in its log"
grep -q "run 2 of $work/shaky" build/flaky/shaky.again.log || wrong 'no log of its second run'

project good shaky
fails shaky 1
run 1 'a name seen in this clone before'
last '50% tests passed, 1 tests failed out of 2'

rm seen.txt
echo 'shaky  # since the day that it was seen' >known.txt
project good shaky shaky2
fails shaky 1
fails shaky2 1
run 1 'a name of the committed list, in a new clone'
line '66% tests passed, 1 tests failed out of 3'
last 'flaky: shaky2'
rm known.txt seen.txt

project good broken
fails broken 9
run 1 'a test that fails twice'
last '50% tests passed, 1 tests failed out of 2'
runs broken 2
[ ! -e seen.txt ] || wrong 'a broken test was noted as flaky'

project good exact_replay
fails exact_replay 1
run 1 'a test that is never repeated'
last '50% tests passed, 1 tests failed out of 2'
runs exact_replay 1

project setup needs_setup
fails setup 1
run 0 'a setup that fails once, and a test that did not run for it'
line 'flaky: setup'
! echo "$out" | grep -q 'flaky: needs_setup' || wrong 'a test that did not run is no flaky one'

project a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11
for i in 1 2 3 4 5 6 7 8 9 10 11; do
    fails a$i 1
done
run 1 'more than ten failures: not a busy machine'
last '0% tests passed, 11 tests failed out of 11'
runs a1 1

project
run 1 'no test at all'
exit $bad
