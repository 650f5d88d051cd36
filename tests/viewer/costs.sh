#!/bin/sh
# SPDX-License-Identifier: MIT
# shellcheck disable=SC1091,SC2034,SC2154
# costs.sh BUILD_DIR WORK_DIR [--renew]: viewer/costs/round_trip.json is what `vtegra advise` answers today. --renew writes it.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../e2e/lib.sh"
recorded=$here/../../viewer/costs/round_trip.json
cp "$here/../../viewer/costs/round_trip.cu" .
by_clang round_trip --track -g -O1 round_trip.cu
expect "advise" 0 "device and copies" "$vtegra" advise --soc tx2,orin,thor --json answer.json -- ./round_trip
# Where the program lies is not part of the answer.
python3 - answer.json "$recorded" "${3:-}" <<'END' || fail "viewer/costs/round_trip.json is old: tests/viewer/costs.sh BUILD_DIR WORK_DIR --renew"
import json
import sys

with open(sys.argv[1], encoding='utf-8') as f:
    answer = json.load(f)
for board in answer:
    for buffer in board['buffers']:
        del buffer['where']
if sys.argv[3] == '--renew':
    with open(sys.argv[2], 'w', encoding='utf-8') as f:
        json.dump(answer, f, indent=1)
        f.write('\n')
with open(sys.argv[2], encoding='utf-8') as f:
    sys.exit(json.load(f) != answer)
END
tests=$((tests + 1))
finish
