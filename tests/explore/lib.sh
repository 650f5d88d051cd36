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
