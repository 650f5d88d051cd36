#!/bin/sh
# SPDX-License-Identifier: MIT
# What does a frame of 1080p NV12 cost on its way to CUDA, by the camera, and by NvBufSurface and an EGLImage? bench/camera.sh [BUILD
# [FRAMES]]: processor time of a frame, in copies of its bytes. Exit status 1 unless the camera takes 4 copies at most, and the surface
# none (less than one).
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-$here/../build/release}" && pwd) || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
"$build/bin/vtegra" cc -g -O2 "$here/camera.cu" -o camera -lvtegra-camera -lnvbufsurface -lcuda -lEGL || exit 2
# The frames are the sensor's own pattern, whose lines are computed: that is in the figure.
"$build/bin/vtegra" run -q --soc "${SOC:-xavier}" --camera pattern:1920x1080@30 -- ./camera "${2:-300}"
