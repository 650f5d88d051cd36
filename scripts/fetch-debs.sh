#!/bin/sh
# SPDX-License-Identifier: MIT
# Unpacks Debian packages of any architecture into a folder, without root and without the machine's own dpkg
# about that architecture: a private apt state with the sources, pins and keys of this machine; apt checks signatures.
# Usage: scripts/fetch-debs.sh ARCH DIR PACKAGE...     into DIR; does nothing when these packages are there already.
# Names are taken as they are (no dependencies). linux-image-arm64 and its like: what they depend on comes instead.
set -eu
cd "$(dirname "$0")/.."

die() {
    echo "fetch-debs: $*" >&2
    exit 1
}

[ $# -ge 3 ] || die "usage: scripts/fetch-debs.sh ARCH DIR PACKAGE..."
arch=$1
dir=$2
shift 2
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
stamp=$dir/.packages
wanted=$(printf '%s\n' "$arch" "$@")
is_there() {
    [ -f "$stamp" ] && [ "$(grep -v '^#' "$stamp")" = "$wanted" ]
}
is_there && exit 0
command -v apt-get >/dev/null || die "needs apt-get: the guest is made of Debian 12's own packages"

state=${VTEGRA_APT:-build/apt}/$arch
mkdir -p "$state/lists/partial" "$state/cache/archives/partial" "$state/state" "$state/debs"
state=$(cd "$state" && pwd)
: >"$state/status"
log=$state/log

# One at a time: two builds may want packages at once.
exec 9>"$state/lock"
flock 9
is_there && exit 0

private() {
    tool=$1
    shift
    "$tool" -q -o Dir::State="$state/state" -o Dir::State::Lists="$state/lists" -o Dir::State::status="$state/status" \
        -o Dir::Cache="$state/cache" -o APT::Architecture="$arch" -o APT::Architectures="$arch" -o Debug::NoLocking=1 \
        -o APT::Sandbox::User= "$@"
}

# Lists younger than a day are fresh enough; old ones name packages that are gone.
if [ -z "$(find "$state/fresh" -mtime -1 2>/dev/null)" ]; then
    private apt-get update >"$log" 2>&1 || {
        tail -n 5 "$log" >&2
        die "apt-get update for $arch failed ($log): does this machine reach its apt sources?"
    }
    touch "$state/fresh"
fi

# What a metapackage stands for: the newest kernel of linux-image-arm64. What no list has keeps its name for the error.
resolve() {
    case $1 in
    linux-image-"$arch" | linux-headers-"$arch")
        private apt-cache depends "$1" | awk '/Depends:/ { print $2; exit }'
        ;;
    *)
        # Debian 13 has some libraries under another name: 64-bit time_t, libglib2.0-0t64.
        for name in "$1" "$1t64"; do
            [ -z "$(private apt-cache show --no-all-versions "$name" 2>/dev/null)" ] || break
        done
        echo "$name"
        ;;
    esac
}

names=
for package; do
    name=$(resolve "$package")
    [ -n "$name" ] || die "no package $package for $arch in this machine's apt sources"
    names="$names $name"
done

rm -rf "$dir.new"
mkdir -p "$dir.new"
for name in $names; do
    (cd "$state/debs" && private apt-get download "$name") >"$log" 2>&1 || {
        tail -n 3 "$log" >&2
        die "package $name:$arch could not be fetched ($log)"
    }
    deb=$(find "$state/debs" -name "${name}_*.deb" -printf '%T@ %p\n' | sort -n | awk 'END { print $2 }')
    dpkg-deb -x "$deb" "$dir.new"
done
{
    echo "$wanted"
    for name in $names; do
        find "$state/debs" -name "${name}_*.deb" -printf '# %f\n'
    done
} >"$dir.new/.packages"
rm -rf "$dir"
mv "$dir.new" "$dir"
