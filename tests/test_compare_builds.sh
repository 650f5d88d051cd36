#!/bin/sh
# SPDX-License-Identifier: MIT
# compare_builds.sh sees what it is for: test_compare_builds.sh BUILD_DIR
set -u
compare=$(cd "$(dirname "$0")" && pwd)/compare_builds.sh
build=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

# expect NAME STATUS TEXT ARGUMENTS...
expect() {
    name=$1 wanted=$2 text=$3
    shift 3
    status=0
    "$compare" "$@" >"$dir/out" 2>&1 || status=$?
    if [ "$status" != "$wanted" ] || ! grep -qF -e "$text" "$dir/out"; then
        echo "FAIL $name: status $status, expected $wanted and \"$text\":"
        cat "$dir/out"
        failed=1
    fi
}

# A build whose programs never end: it writes down the process that runs one.
mkdir -p "$dir/endless/bin"
cat >"$dir/endless/bin/vtegra" <<EOF
#!/bin/sh
case \$1 in
scenario) echo '{"name":"message_managed","group":"x","os":"linux","expected":{"orin":"x"}}' ;;
run) echo \$\$ >"$dir/process" && exec sleep 600 ;;
esac
EOF
chmod +x "$dir/endless/bin/vtegra"

# stops SIGNAL STATUS: it ends at once, its programs and files are gone. (A shell's background commands ignore INT: env.)
stops() {
    rm -f "$dir/process"
    mkdir "$dir/temporary"
    TMPDIR=$dir/temporary env --default-signal=INT "$compare" "$dir/endless" "$dir/endless" --socs orin --policies lazy \
        >"$dir/out" 2>&1 &
    running=$!
    for _ in $(seq 600); do
        [ -s "$dir/process" ] && break
        sleep 0.1
    done
    begin=$(date +%s)
    kill "-$1" "$running"
    status=0
    wait "$running" || status=$?
    seconds=$(($(date +%s) - begin))
    read -r process <"$dir/process"
    state=$(cut -d' ' -f3 "/proc/$process/stat" 2>/dev/null)
    if [ $status != "$2" ] || [ $seconds -gt 20 ] || [ "${state:-Z}" != Z ] || ! rmdir "$dir/temporary"; then
        echo "FAIL stop by $1: status $status, expected $2; $seconds s; left: process in state ${state:-none}, $(ls -A "$dir/temporary")"
        cat "$dir/out"
        failed=1
    fi
}
stops INT 130
stops TERM 143

# The same build but for a profile, in which a launch takes one nanosecond more (measured from outside: times of the trace).
mkdir -p "$dir/other/bin" "$dir/other/lib" "$dir/other/share/vtegra"
cp "$build/bin/vtegra" "$dir/other/bin/" # finds its libraries beside itself
ln -s "$build/include" "$dir/other/"
ln -s "$build"/lib/* "$dir/other/lib/"
rm "$dir/other/lib/libvtegra.so"
cp "$build/lib/libvtegra.so" "$dir/other/lib/" # finds the profiles beside itself
ln -s "$build"/share/vtegra/* "$dir/other/share/vtegra/"
rm "$dir/other/share/vtegra/profiles"
cp -rL "$build/share/vtegra/profiles" "$dir/other/share/vtegra/profiles"
sed -i 's/^launch_ns = [0-9]*/&1/' "$dir/other/share/vtegra/profiles/orin.profile"

expect same 0 "8 of 8 runs are the same, 0 differ" "$build" "$build" --socs "orin thor" --policies lazy read_before_sync message_managed \
    --full
expect differs 1 "read_before_sync orin lazy mistake: differs: trace" "$build" "$dir/other" --socs "orin tx2" --policies lazy \
    read_before_sync
grep -q "^2 of 4 runs are the same, 2 differ" "$dir/out" || { echo "FAIL tx2 has another profile:" && cat "$dir/out" && failed=1; }
expect litmus 0 "2 of 2 runs" "$build" "$dir/other" --socs orin message_managed
expect no_build 2 "no build" "$build" "$dir/none"
expect no_scenario 2 'no scenario "message_manage"' "$build" "$build" message_manage
expect no_soc 1 "nothing to compare" "$build" "$build" --socs orim message_managed
exit $failed
