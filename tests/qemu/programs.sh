#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What the tests in the Linux guest need on both QEMUs, made once: CUDA programs for this machine and for the guest, and the
# verdicts that they get without QEMU. Usage: programs.sh SOURCE BUILD [long]
# leaves BUILD/guest-programs; with "long" all that guest.sh runs then, in BUILD/guest-programs-long
set -u
source=$1
vtegra=$2/bin/vtegra
thorough=${3:-}
out=$2/guest-programs${3:+-$3}
. "$source/tests/qemu/verdict.sh"
if ! [ -f "$source/build/guest/base.cpio" ] || ! [ -f "$source/build/aarch64/guest.cpio" ]; then
    echo "skipped: scripts/guest.sh makes the guest"
    exit 77
fi
export VTEGRA_PROFILES="$source/profiles"
unset VTEGRA_SOC VTEGRA_EDITION VTEGRA_OS VTEGRA_POLICY VTEGRA_SEED VTEGRA_EVICT VTEGRA_REPORT VTEGRA_QUIET VTEGRA_TRACE VTEGRA_JSON VTEGRA_CHECK
rm -rf "$out"
mkdir -p "$out" || exit 1

# Two compilers at a time. With hooks here; in the guest the machine sees what the hooks tell.
{
    echo "$source/scenarios/cudla_hybrid/hybrid.cu"
    echo "$source/tests/e2e/vadd.cu"
    echo "$source/tests/egl/cuda_only.cu"
    echo "$source/tests/qemu/left_behind.cu"
    for name in $plain_scenarios $checked_scenarios $uncached_scenarios $vic_scenarios; do
        echo "$source/scenarios/$name/$name.cu"
    done | sort -u
} >"$out/sources"
cat >"$out/build" <<END
#!/bin/sh
name=\$(basename "\$1" .cu)
case \$name in
hybrid) library=-lcudla ;;
cuda_only) library=-lEGL ;;
*) library= ;;
esac
library="\$library \$(sed -n 's/^libraries *= *//p' "\$(dirname "\$1")/scenario.conf" 2>/dev/null | sed 's/[a-z0-9_]*[a-z0-9]/-l&/g')"
"$vtegra" cc -g --arch sm_53 --track "\$1" -o "$out/\$name.native" \$library >"$out/\$name.log" 2>&1 &&
    "$vtegra" cc -g --arch sm_53 --target aarch64 "\$1" -o "$out/\$name" \$library >>"$out/\$name.log" 2>&1 && exit 0
cat "$out/\$name.log"
exit 1
END
chmod +x "$out/build"
xargs -P 2 -n 1 "$out/build" <"$out/sources" || exit 1
"$vtegra" dla build "$source/scenarios/cudla_hybrid/network.json" -o "$out/network.loadable" >/dev/null || exit 1

# native GROUP SOC CHECK: the verdict of each line of that group
native() {
    guest_lines "$1" | while read -r line; do
        # shellcheck disable=SC2086 # several words
        (cd "$out" && "$vtegra" run --soc "$2" --policy lazy --check "$3" -- "./${line%% *}.native" $(echo "$line" | cut -s -d ' ' -f 2-)) >"$out/native" 2>&1
        echo $? >>"$out/native"
        verdict "$out/native" >"$out/$(verdict_name "$1" "$2" "$line")"
    done
}
native plain orin off
native checked orin on
native uncached tx2 off
native vic xavier off
[ "$thorough" != long ] || native few tx2 off
ls "$out"/*.verdict >/dev/null
