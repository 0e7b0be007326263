#!/usr/bin/env bash
# Compiles the kernels in this folder to the bitcode in ir/.
#
#   kernels/build.sh            write kernels/ir/
#   kernels/build.sh --check    build elsewhere and compare with kernels/ir/; exit status 1 and a list where they differ
#
# Needs clang and llvm-link 22.1.8; CLANG names clang (default clang++-22). Nobody needs this to use or to test darm: ir/ is committed.
#
# One file is written per kernel, target and form:
#   NAME.TARGET.O3.bc      optimised, for the late meld point
#   NAME.TARGET.early.bc   as clang's front end left it, for the early one: -O3 without its passes, not -O0, so that functions
#                          are not `optnone` and carry lifetimes and alias metadata (gfx906, gfx1100, gfx90a, sm_70)
#   NAME.TARGET.O0.bc      a debug build: `optnone`, every variable in scratch, generic pointers. For the simulator: nothing
#                          melds there. Without names, as clang has it by default
#   NAME.TARGET.O3-g.bc    O3 with debug information (bitonic and sb1 on gfx906); the code is the same, and this script checks it
#
# A source that is made for one block size (the macros SIZE and KERNEL) is compiled for several: `sized` below. The sizes are
# linked into one module, NAME.TARGET.O3.bc and .early.bc for gfx906, gfx90a and gfx1100, whose kernels are NAME_SIZE. Units
# that are linked need distinct compilation unit ids, which are the kernels' names.
#
# The output is the same bytes in any checkout: sources are named relative to this folder, a compilation unit id is no
# hash of the path, no ident or producer string of clang's vendor, and the last step looks for paths that got in all the same.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

clang=${CLANG:-clang++-22}
tool() { # the LLVM tool of this name that comes with clang
  local found
  found=$("$clang" -print-prog-name="$1")
  [[ -x $found ]] && echo "$found" || echo "$1-22"
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
case "${1-}" in
'') out=ir ;;
--check) out=$scratch/ir ;;
*) echo "usage: build.sh [--check]" >&2; exit 2 ;;
esac
mkdir -p "$out"

version=$("$clang" --version | sed -n '1s/.*clang version \([0-9.]*\).*/\1/p')
[[ $version == 22.1.8 ]] || echo "build.sh: warning: clang is $version, ir/ was made with 22.1.8" >&2

# Contraction is off so that results compare bit for bit.
common=(-std=c++17 -ffp-contract=off -emit-llvm -c
  -Qn -fuse-cuid=none -no-canonical-prefixes "-ffile-prefix-map=$PWD=." -ffile-compilation-dir=.)
hip=("${common[@]}" -x hip --offload-device-only -nogpuinc -nogpulib -nostdinc++ -nostdlibinc -isystem include -fdeclspec -Wall -Wextra -Werror)
cuda=("${common[@]}" -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_70 --cuda-feature=+ptx63 -Wno-unknown-cuda-version -Wall -Wextra -Werror)
# Block and value names are kept where melding looks: reports and tests are about blocks.
O3=(-O3 -fno-discard-value-names)
early=("${O3[@]}" -Xclang -disable-llvm-passes)
O0=(-O0 -fdiscard-value-names)

for kernel in bitonic sb1 sb2 sb3 many; do
  for target in gfx906 gfx90a gfx942 gfx1030 gfx1100; do
    "$clang" "${hip[@]}" "${O3[@]}" "--offload-arch=$target" "$kernel.hip" -o "$out/$kernel.$target.O3.bc"
    "$clang" "${hip[@]}" "${O0[@]}" "--offload-arch=$target" "$kernel.hip" -o "$out/$kernel.$target.O0.bc"
  done
  for target in gfx906 gfx90a gfx1100; do
    "$clang" "${hip[@]}" "${early[@]}" "--offload-arch=$target" "$kernel.hip" -o "$out/$kernel.$target.early.bc"
  done
done

sized() { # NAME SIZE...: a size is a number or NxN, of which SIZE is N
  local name=$1 target form size
  shift
  for target in gfx906 gfx90a gfx1100; do
    for form in O3 early; do
      local -n flags=$form
      local parts=()
      for size in "$@"; do
        parts+=("$scratch/${name}_$size.bc")
        "$clang" "${hip[@]}" "${flags[@]}" "--offload-arch=$target" "-cuid=${name}_$size" \
          "-DSIZE=${size%x*}" "-DKERNEL=${name}_$size" "$name.hip" -o "${parts[-1]}"
      done
      "$(tool llvm-link)" "${parts[@]}" -o "$out/$name.$target.$form.bc"
    done
  done
}

# For bench:gpu: optimised, without names. NAME.sm_70.O3.bc, of the paper's kernels only.
for_nvidia() { # NAME SIZE...
  local name=$1 size parts=()
  shift
  for size in "$@"; do
    parts+=("$scratch/$name.$size.bc")
    "$clang" "${cuda[@]}" -nostdinc++ -nostdlibinc -isystem corpus/include -isystem include -fdeclspec -O3 \
      -fdiscard-value-names "-DSIZE=${size%x*}" "-DKERNEL=${name}_$size" "$name.hip" -o "${parts[-1]}"
  done
  "$(tool llvm-link)" "${parts[@]}" -o "$out/$name.sm_70.O3.bc"
}

paper() { # NAME SIZE...
  sized "$@"
  for_nvidia "$@"
}
paper bit 32 64 128 256
paper pcm 32 64 128 256
paper ms 32 64 128 256
paper lud 16 32 64 128
paper nqu 64 96 128 256
paper srad 16x16 32x32
paper dct 4x4 8x8 16x16
for kernel in sb1s sb2s sb3s sb4 sb1r sb2r sb3r sb4r; do
  paper "$kernel" 32 64 128 256
done
for kernel in sb4c sb4cr; do
  sized "$kernel" 32 64 128 256
done
for kernel in dequant hashjoin mandelbrot spmv; do
  sized "$kernel" 128
done
for kernel in interp lz4ish raytri rle tokenizer; do
  sized "$kernel" 64
done

for kernel in bitonic sb1; do
  "$clang" "${hip[@]}" "${O3[@]}" -g --offload-arch=gfx906 "$kernel.hip" -o "$out/$kernel.gfx906.O3-g.bc"
done
"$clang" "${cuda[@]}" "${O3[@]}" nvptx-threshold.cu -o "$out/nvptx-threshold.sm_70.O3.bc"
"$clang" "${cuda[@]}" "${early[@]}" nvptx-threshold.cu -o "$out/nvptx-threshold.sm_70.early.bc"

failed=0

# -g must not change the code: the same machine code and descriptors from both.
code() { # IN.bc SECTION
  "$clang" -x ir --target=amdgcn-amd-amdhsa -mcpu=gfx906 -nogpulib -O3 -Xclang -disable-llvm-passes -c "$1" -o "$scratch/code.o"
  "$(tool llvm-objcopy)" "--dump-section=$2=$scratch/code.bin" "$scratch/code.o"
  sha256sum <"$scratch/code.bin"
}
for kernel in bitonic sb1; do
  for section in .text .rodata; do
    plain=$(code "$out/$kernel.gfx906.O3.bc" $section)
    debug=$(code "$out/$kernel.gfx906.O3-g.bc" $section)
    [[ $plain == "$debug" ]] || { echo "build.sh: -g changes $section of $kernel" >&2; failed=1; }
  done
done

# No absolute paths: neither in strings of the bitcode nor in what it says when printed.
for file in "$out"/*.bc; do
  if { strings -n 4 "$file"; "$(tool llvm-dis)" <"$file"; } | grep -nE '(^|[^A-Za-z0-9_.])/(home|work|tmp|usr|root|opt|Users)/' >&2; then
    echo "build.sh: absolute path in $(basename "$file")" >&2
    failed=1
  fi
done

if [[ $out != ir ]]; then
  for file in "$out"/*.bc; do
    cmp -s "$file" "ir/$(basename "$file")" || { echo "differs or missing: ir/$(basename "$file")" >&2; failed=1; }
  done
  for file in ir/*.bc; do
    [[ -e $out/$(basename "$file") ]] || { echo "not built by this script: $file" >&2; failed=1; }
  done
  [[ $failed == 0 ]] && echo "kernels/ir is up to date"
fi
exit "$failed"
