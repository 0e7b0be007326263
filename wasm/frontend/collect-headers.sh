#!/usr/bin/env bash
# Collects what clang reads beside the source, from packages of Debian, and writes into the folder OUT:
#
#   image/hip      HIP's headers                                    package libamdhip64-dev
#   image/device   AMD's device libraries, bitcode                  package rocm-device-libs-22
#   image/c++      libc++'s headers                                 source of LLVM, as build.sh has it
#   image/c        headers of a small C library, for host code      source of musl
#   image/clang    clang's own headers                              made by LLVM's build
#   LICENSES/      the licences of all of these
#   origins.json   package, version, file, hash and licence of each
#
#   collect-headers.sh ROOT RESOURCE OUT      ROOT: of the Debian to work in; empty for this machine
set -euo pipefail

root=$1 resource=$2 out=$3
here=$(cd "$(dirname "$0")" && pwd)
work=/darm-build/headers # in the root
in_root() { if [ -n "$root" ]; then chroot "$root" "$@"; else "$@"; fi; }

# name | version | file | SHA-256 | licence
origins='libamdhip64-dev|7.2.4-1~exp2|libamdhip64-dev_7.2.4-1~exp2_amd64.deb|28ae316c5be2d33b53fae8f2151e76a758f84aa3493abafeaef935e49cc5ba07|MIT
rocm-device-libs-22|7.2.4+dfsg-1~exp1|rocm-device-libs-22_7.2.4+dfsg-1~exp1_amd64.deb|24b439be7c151ff67bc1f4f4f42a7c4047b3e6fd7905b9e6df89c0fa5dea8031|NCSA
musl|1.2.6-2|musl_1.2.6.orig.tar.gz|d585fd3b613c66151fc3249e8ed44f77020cb5e6c1e635a616d3f9f82460512a|MIT
llvm-toolchain-23|1:23.1.1-2|llvm-toolchain-23_23.1.1.orig.tar.xz|0a5838b993f406534db7e6dc7df66e295354a1e9a23bb21e5739cf5df5bc7689|Apache-2.0 WITH LLVM-exception'
llvm=$root/darm-build/llvm-toolchain-23_23.1.1.orig.tar.xz

rm -rf "$out"
mkdir -p "$out/image/device" "$out/image/clang" "$out/LICENSES" "$root$work"
while IFS='|' read -r name version file sha256 _; do
  path=$root$work/$file
  [ "$name" != llvm-toolchain-23 ] || path=$llvm
  if [ ! -e "$path" ]; then
    case $file in
      *.deb) in_root sh -c "cd $work && apt-get download $name=$version" ;;
      *) in_root sh -c "cd $(dirname "${path#"$root"}") && apt-get source --download-only --tar-only $name=$version" ;;
    esac
  fi
  echo "$sha256  $path" | sha256sum --check --quiet
done <<<"$origins"
{
  printf '['
  separator=''
  while IFS='|' read -r name version file sha256 licence; do
    printf '%s\n      { "package": "%s", "version": "%s", "file": "%s", "sha256": "%s", "licence": "%s" }' \
      "$separator" "$name" "$version" "$file" "$sha256" "$licence"
    separator=','
  done <<<"$origins"
  printf '\n    ]'
} >"$out/origins.json"

unpacked=$root$work/unpacked
rm -rf "$unpacked"
mkdir -p "$unpacked"
for name in libamdhip64-dev rocm-device-libs-22; do
  in_root sh -c "dpkg-deb -x $work/${name}_*.deb $work/unpacked/$name"
  cp "$unpacked/$name/usr/share/doc/$name/copyright" "$out/LICENSES/$name.txt"
done
cp -r "$unpacked/libamdhip64-dev/usr/include" "$out/image/hip"
cp "$unpacked"/rocm-device-libs-22/usr/lib/llvm-22/lib/clang/22/amdgcn/bitcode/o*.bc "$out/image/device/"
# Thousands of overloads, of which a kernel uses a few.
in_root bash -s -- "${out#"$root"}/image/device" opencl <"$here/divide-library.sh"

tar xJf "$llvm" -C "$unpacked" --strip-components=1 --wildcards '*/libcxx/include' '*/libcxx/vendor/llvm' '*/libcxx/LICENSE.TXT'
libcxx=$unpacked/libcxx
cp "$libcxx/LICENSE.TXT" "$out/LICENSES/libcxx.txt"
cp -r "$libcxx/include" "$out/image/c++"
rm -rf "$out"/image/c++/{CMakeLists.txt,__config_site.in,module.modulemap.in,__cxx03}
cp "$libcxx/vendor/llvm/default_assertion_handler.in" "$out/image/c++/__assertion_handler"
# What CMake would make of __config_site.in: everything that musl has, no hardening.
sed -e 's/^#cmakedefine \(_LIBCPP_ABI_VERSION\) .*/#define \1 1/' \
  -e 's/^#cmakedefine \(_LIBCPP_ABI_NAMESPACE\) .*/#define \1 __1/' \
  -e 's/^#cmakedefine \(_LIBCPP_HARDENING_MODE_DEFAULT\) .*/#define \1 2/' \
  -e 's/^#cmakedefine \(_LIBCPP_ASSERTION_SEMANTIC_DEFAULT\) .*/#define \1 2/' \
  -e 's/^#cmakedefine \(_LIBCPP_PSTL_BACKEND_STD_THREAD\)$/#define \1/' \
  -e 's/^#cmakedefine01 \(.*_HAS_\(THREADS\|MONOTONIC_CLOCK\|MUSL_LIBC\|THREAD_API_PTHREAD\|FILESYSTEM\|RANDOM_DEVICE\)\)$/#define \1 1/' \
  -e 's/^#cmakedefine01 \(.*_HAS_\(LOCALIZATION\|UNICODE\|WIDE_CHARACTERS\)\)$/#define \1 1/' \
  -e 's/^#cmakedefine01 \(.*\)$/#define \1 0/' -e '/^#cmakedefine /d' -e '/^@/d' \
  "$libcxx/include/__config_site.in" >"$out/image/c++/__config_site"

tar xzf "$root$work/musl_1.2.6.orig.tar.gz" -C "$unpacked"
musl=$unpacked/musl-1.2.6
cp "$musl/COPYRIGHT" "$out/LICENSES/musl.txt"
cp -r "$musl/include" "$out/image/c"
rm "$out/image/c/alltypes.h.in"
mkdir -p "$out/image/c/bits"
cp "$musl"/arch/generic/bits/*.h "$out/image/c/bits/"
cp "$musl"/arch/x86_64/bits/*.h "$out/image/c/bits/"
sed -f "$musl/tools/mkalltypes.sed" "$musl/arch/x86_64/bits/alltypes.h.in" "$musl/include/alltypes.h.in" \
  >"$out/image/c/bits/alltypes.h"
{
  cat "$musl/arch/x86_64/bits/syscall.h.in"
  sed -n 's/__NR_/SYS_/p' "$musl/arch/x86_64/bits/syscall.h.in"
} >"$out/image/c/bits/syscall.h"

# Headers for other processors are left out.
(cd "$(dirname "$resource")" && tar cf - --exclude='include/*_wrappers/*' --exclude='arm*' --exclude='riscv*' --exclude='hvx*' \
  --exclude='hexagon*' --exclude=altivec.h --exclude=vecintrin.h --exclude='s390*' --exclude=msa.h --exclude='velintrin*' \
  --exclude='lasx*' --exclude='lsx*' --exclude='larch*' --exclude='sifive*' --exclude='andes*' --exclude='wasm*' \
  --exclude='spirv*' --exclude='htm*' --exclude=xray --exclude=profile --exclude=orc --exclude=fuzzer --exclude=sanitizer \
  include) | tar xf - -C "$out/image/clang"
(cd "$(dirname "$resource")" && tar cf - include/cuda_wrappers) | tar xf - -C "$out/image/clang"
# Ours: declarations that HIP's headers miss.
cp -r "$here/include" "$out/image/darm"
