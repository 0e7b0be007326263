#!/usr/bin/env bash
# Fetches what `npm run test:llvm` needs: LLVM's own test files from Debian's source package (in the version and with
# the hash from build.sh), which go to build/llvm-tests/, and Debian's llc-22. It needs a Debian machine and root
# rights, and does nothing if everything is there.
set -euo pipefail

repository=$(cd "$(dirname "$0")/../.." && pwd)
version=$(sed -n 's/^llvm_version=//p' "$repository/build.sh")
sha256=$(sed -n 's/^source_sha256=//p' "$repository/build.sh")
target=$repository/build/llvm-tests
root=$repository/build/trixie # the Debian root that build.sh makes where the machine itself is not trixie
root=$repository/build/trixie # the Debian root that build.sh makes if the machine itself is not trixie
mkdir -p "$target"

say() { echo "fetch.sh: $*" >&2; }

for tool in llc-22 llvm-objdump-22 llvm-readelf-22; do
  command -v $tool >/dev/null && continue
  say "installing llvm-22 for $tool"
  apt-get update -q >&2
  DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends llvm-22 >&2
done
found=$(llc-22 --version | sed -n 's/.*LLVM version \([0-9.]*\).*/\1/p')
if [ "$found" != "$version" ]; then
  say "llc-22 is LLVM $found; the comparison needs $version"
  exit 1
fi

[ -e "$target/complete-$version" ] && exit 0

# --- The source package: one that is there already, this machine's archive, or the trixie root's archive ---
is_whole() { [ -e "$1" ] && echo "$sha256  $1" | sha256sum --check --quiet 2>/dev/null; }

source_package() { # prints the path of the tarball
  local place
  for place in "$target" "$root/darm-build" "$root/src"; do
    if is_whole "$place/$tarball"; then echo "$place/$tarball"; return; fi
  done
  say "downloading LLVM's source package (190 MB)"
  if (cd "$target" && apt-get source -q --download-only --tar-only llvm-toolchain-22) >&2 && is_whole "$target/$tarball"; then
    echo "$target/$tarball"
    return
  fi
  say "this machine's archive does not have it: asking Debian trixie's"
  if [ ! -x "$root/usr/bin/apt-get" ]; then
    command -v debootstrap >/dev/null || apt-get install -q -y debootstrap >&2
    debootstrap --variant=minbase trixie "$root" >&2
  fi
  if ! grep -q '^deb-src.*trixie-security' "$root/etc/apt/sources.list"; then
    local mirror suite base
    mirror=$(sed -n 's/^deb \([^ ]*\) trixie main.*/\1/p' "$root/etc/apt/sources.list" | head -n 1)
    for suite in trixie-updates trixie-security; do
      base=$mirror
      [ $suite = trixie-security ] && base=${mirror%/debian}/debian-security
      printf 'deb %s %s main\n' "$base" $suite
    done >>"$root/etc/apt/sources.list"
    sed -i 's/^deb \(.*\)$/deb \1\ndeb-src \1/' "$root/etc/apt/sources.list"
  fi
  mkdir -p "$root/darm-build"
  chroot "$root" apt-get update -q >&2
  # dpkg-dev is only needed to unpack, which tar does here.
  chroot "$root" sh -c 'cd /darm-build && apt-get source -q --download-only --tar-only llvm-toolchain-22' >&2 || true
  if ! is_whole "$root/darm-build/$tarball"; then
    say "no archive has $tarball with the expected hash"
    exit 1
  fi
  echo "$root/darm-build/$tarball"
}

package=$(source_package)
say "unpacking the test files"
tar xJf "$package" -C "$target" --strip-components=1 --wildcards --no-wildcards-match-slash \
  '*/llvm/test/CodeGen/AMDGPU/*.ll' \
  '*/llvm/test/Analysis/UniformityAnalysis/AMDGPU' '*/llvm/test/Analysis/UniformityAnalysis/NVPTX'
touch "$target/complete-$version"
