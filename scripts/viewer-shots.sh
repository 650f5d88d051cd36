#!/bin/sh
# SPDX-License-Identifier: MIT
# Screenshots of the page's views at 1400x900, 800x600 and 390x800, light and dark, for a person to look at.
# Usage: scripts/viewer-shots.sh [BUILD_DIR [OUT_DIR [RUN_PAGE]]]      RUN_PAGE: what `vtegra view` made
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$root/build/release}
out=${2:-$root/build/shots}
page=$build/share/vtegra/viewer/page.html
chromium=$(command -v chromium-headless-shell || command -v chromium || command -v google-chrome) || {
    echo "viewer-shots: no Chromium: scripts/install-deps.sh --viewer" >&2
    exit 1
}
[ -e "$page" ] || {
    echo "viewer-shots: $page is not there: build the target viewer" >&2
    exit 1
}
exec node "$root/tests/viewer/shots.js" "$chromium" "$page" "$out" ${3+"$3"}
