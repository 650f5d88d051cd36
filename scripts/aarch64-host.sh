#!/bin/sh
# SPDX-License-Identifier: MIT
# Model, runtime, tools and tests for an aarch64 machine, built here by Debian's cross compilers, and what of the tests qemu-aarch64
# can run (docs/aarch64.md). Fetches Debian's arm64 packages once (100 MB) and installs none of them.
# Usage: scripts/aarch64-host.sh [CTEST ARGUMENT...]        build/aarch64-host; the exit status is ctest's
set -eu
cd "$(dirname "$0")/.."
scripts/install-deps.sh --aarch64
scripts/cross-sysroot.sh >/dev/null
scripts/build.sh aarch64-host
exec ctest --test-dir build/aarch64-host -L aarch64 --output-on-failure "$@"
