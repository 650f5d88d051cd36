#!/bin/sh
# SPDX-License-Identifier: MIT
# QEMU 10.0 (Debian 12's backports) beside the installed 7.2, which apt cannot do: fetches the packages and what they
# lack here with a private apt state, checks them as apt does (signatures), and unpacks them into one folder. No root.
# Usage: scripts/qemu-10.sh [DIR]      default: build/qemu-10. Prints the program's path; does nothing when it is there.
set -eu
cd "$(dirname "$0")/.."
dir=${1:-build/qemu-10}
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
program=$dir/qemu-system-aarch64

die() {
    echo "qemu-10: $*" >&2
    exit 1
}

if [ -x "$program" ] && "$program" --version 2>/dev/null | grep -q '^QEMU emulator version 10\.'; then
    echo "$program"
    exit 0
fi
command -v apt-get >/dev/null || die "needs apt-get: QEMU 10.0 comes from Debian 12's backports"

# The same server as this machine's bookworm packages: only the suite differs. Packages are signed by Debian's own keys.
uri=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME)' 'Created-By: Packages' |
    awk '$2 == "bookworm" { print $1; exit }')
[ -n "$uri" ] || die "this machine's apt sources have no suite bookworm to derive bookworm-backports from"
key=/usr/share/keyrings/debian-archive-keyring.gpg
[ -f "$key" ] || key=

apt=$dir/apt
log=$dir/apt.log
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/parts"
{
    echo "deb ${key:+[signed-by=$key]} $uri bookworm main"
    echo "deb ${key:+[signed-by=$key]} $uri bookworm-backports main"
} >"$apt/sources.list"

private_apt() {
    apt-get -q -y -o Dir::State::Lists="$apt/lists" -o Dir::Cache="$apt/cache" -o Dir::Etc::SourceList="$apt/sources.list" \
        -o Dir::Etc::SourceParts="$apt/parts" -o Debug::NoLocking=1 -o APT::Sandbox::User= "$@" >>"$log" 2>&1
}

echo "qemu-10: fetching QEMU 10.0 into $dir (once)" >&2
: >"$log"
private_apt update || { tail -n 5 "$log" >&2; die "apt-get update failed ($log)"; }
private_apt -t bookworm-backports --no-install-recommends --download-only install qemu-system-arm ||
    { tail -n 5 "$log" >&2; die "the packages could not be fetched ($log)"; }
rm -rf "$dir/root"
mkdir "$dir/root"
for deb in "$apt"/cache/archives/*.deb; do
    [ -f "$deb" ] || die "nothing was fetched ($log)"
    dpkg-deb -x "$deb" "$dir/root"
done

# Its libraries and its modules (block drivers and the like) are found in the folder, not in /usr.
lib=$dir/root/usr/lib/$(gcc -print-multiarch 2>/dev/null || echo x86_64-linux-gnu)
cat >"$program.new" <<END
#!/bin/sh
LD_LIBRARY_PATH=$lib\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH} QEMU_MODULE_DIR=$lib/qemu \\
    exec $dir/root/usr/bin/qemu-system-aarch64 -L $dir/root/usr/share/qemu "\$@"
END
chmod +x "$program.new"
"$program.new" --version >>"$log" 2>&1 || { tail -n 3 "$log" >&2; die "the unpacked program does not start ($log)"; }
rm -rf "$apt"
mv "$program.new" "$program"
touch -c tests/qemu/CMakeLists.txt # cmake looks again
echo "$program"
