# SPDX-License-Identifier: MIT
# Shared by the tests of schedules: . lib.sh BUILD_DIR WORK_DIR
. "$(dirname "$0")/../e2e/lib.sh"
unset VTEGRA_STRATEGY VTEGRA_DEPTH VTEGRA_LENGTH VTEGRA_SCHEDULE VTEGRA_RECORD VTEGRA_CHECK
if [ -n "$sanitized" ]; then
    echo "SKIP: a sanitizer's runtime has locks and threads of its own in front of ours"
    exit 77
fi
# shellcheck disable=SC2034 # read by the tests
here=$source

# some N WORD...: every Nth word in ./check, all of them where the test runs "long" (its third argument)
thorough=${3:-}
some() {
    step=$1 number=0
    shift
    [ "$thorough" != long ] || step=1
    for word in "$@"; do
        [ $((number % step)) != 0 ] || printf '%s\n' "$word"
        number=$((number + 1))
    done
}
