#!/usr/bin/env bash
# Fetches what `npm run test:llvm` needs: the native tools (build.sh --native) and LLVM's own test files from Debian's source
# package (in the version and with the hash from build.sh), which go to build/llvm-tests/. It needs a Debian-like machine and
# root rights, and does nothing if everything is there. DARM_BUILD names the folder of the build root (default: build/).
set -euo pipefail

repository=$(cd "$(dirname "$0")/../.." && pwd)
value() { sed -n "s/^$1=//p" "$repository/build.sh"; }
version=$(value llvm_version)
target=$repository/build/llvm-tests
work=${DARM_BUILD:-$repository/build}

[ -x "$repository/build/bin/llc-23" ] || "$repository/build.sh" --native --work "$work" >&2
[ -e "$target/complete-$version" ] && exit 0

tarball=llvm-toolchain-23_$version.orig.tar.xz
root=$work/sid
is_whole() { echo "$(value source_sha256)  $root/darm-build/$tarball" | sha256sum --check --quiet 2>/dev/null; }
if ! is_whole; then
  echo "fetch.sh: downloading LLVM's source package (210 MB)" >&2
  # dpkg-dev is only needed to unpack, which tar does here.
  chroot "$root" sh -c "cd /darm-build && apt-get source -q --download-only --tar-only llvm-toolchain-23=$(value source_version)" >&2 || true
  is_whole || { echo "fetch.sh: the archive has no $tarball with the expected hash" >&2; exit 1; }
fi
echo 'fetch.sh: unpacking the test files' >&2
rm -rf "$target"
mkdir -p "$target"
tar xJf "$root/darm-build/$tarball" -C "$target" --strip-components=1 --wildcards --no-wildcards-match-slash \
  '*/llvm/test/CodeGen/AMDGPU/*.ll' \
  '*/llvm/test/Analysis/UniformityAnalysis/AMDGPU' '*/llvm/test/Analysis/UniformityAnalysis/NVPTX'
touch "$target/complete-$version"
