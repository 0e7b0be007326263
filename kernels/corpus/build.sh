#!/usr/bin/env bash
# Compiles the corpus, kernels/corpus/FAMILY.hip and FAMILY.cl, to the bitcode in kernels/corpus/ir/: FAMILY.TARGET.bc,
# optimised with -O3, without melding. Nobody needs this to use or to test darm: ir/ is committed.
#
#   kernels/corpus/build.sh [--check] [FAMILY...]
#
# Without names, every family. --check builds elsewhere and compares; exit status 1 and a list where they differ.
# HIP needs clang 23; CLANG names it (default clang-23). OpenCL needs AMD's device libraries of the same LLVM, which darm
# has with it: so darm compiles it, as it is built in dist/.
#
# Contraction is off, so that results compare bit for bit. Names of values are left out, which makes the files smaller
# by a third. The output is the same bytes in any checkout: no paths, no ident, no hash of a path.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

clang=${CLANG:-clang-23}
out=ir
if [[ ${1-} == --check ]]; then
  out=$(mktemp -d)
  trap 'rm -rf "$out"' EXIT
  shift
fi
families=("$@")
if [[ ${#families[@]} == 0 ]]; then
  for source in *.hip *.cl; do families+=("${source%.*}"); done
fi

common=(-std=c++17 -O3 -ffp-contract=off -emit-llvm -c -nogpuinc -nogpulib
  -nostdinc++ -nostdlibinc -isystem include -isystem ../include -fdeclspec -Wall -Wextra -Werror
  -Qn -fuse-cuid=none -fdiscard-value-names -no-canonical-prefixes "-ffile-prefix-map=$PWD=."
  -ffile-compilation-dir=.)
hip=(-x hip --offload-device-only)
# sm_70 is for bench:gpu. Any PTX of that version runs on every later NVIDIA GPU, too.
cuda=(-x cuda --cuda-device-only --cuda-feature=+ptx63 -Wno-unknown-cuda-version)
opencl=(-cl-std=CL2.0 -O3 -ffp-contract=off -Wall -Wextra -Werror --meld off --emit bc)
failed=0
for family in "${families[@]}"; do
  for target in gfx906 gfx90a gfx1030 gfx1100 sm_70; do
    file=$family.$target.bc
    if [[ -f $family.cl ]]; then
      # The library is AMD's.
      [[ $target == sm_* ]] && continue
      node ../../dist/command/main.js compile "${opencl[@]}" --mcpu "$target" "$family.cl" -o "$out/$file"
    else
      [[ $target == sm_* ]] && language=("${cuda[@]}") || language=("${hip[@]}")
      "$clang" "${common[@]}" "${language[@]}" "--offload-arch=$target" "$family.hip" -o "$out/$file"
    fi
    [[ $out == ir ]] || cmp -s "$out/$file" "ir/$file" || { echo "differs or missing: ir/$file" >&2; failed=1; }
  done
done
exit "$failed"
