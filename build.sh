#!/usr/bin/env bash
# Builds the compiler module: wasm/dist/. `build.sh --help` explains itself.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: build.sh [--sdk DIR] [--work DIR] [--jobs N] [--debug | --train | --native]

Links LLVM 23.1.1 (AMDGPU, NVPTX, lld) and the shim in wasm/ into WebAssembly, wasm/dist/; and clang of the same source
with the shim in wasm/frontend/ into a second module. LLVM is compiled with a profile (wasm/profile/); both modules are
initialised (wasm/initialise.mjs) and divided into what a first compilation calls and the rest. Headers and device
libraries for clang are taken from packages of Debian and become one file (wasm/frontend/collect-headers.sh).

  --sdk DIR    take the static libraries from the prebuilt SDK archives in DIR (minutes, but made without the profile);
               without it they are built from source first (about two hours on two cores)
  --work DIR   where the build root, the source and the libraries go (default: build/)
  --jobs N     parallel compilations (default: all processors)
  --debug      link in seconds, at -O1 with function names, for readable stack traces; writes
               wasm/dist-debug/ instead (use it with DARM_WASM=wasm/dist-debug)
  --train      make the profile anew: builds LLVM from source with counters, runs wasm/train.ts on it and writes
               wasm/profile/ instead
  --native     only make the root, with the native tools of the same LLVM, and write build/bin/ (llc-23, ld.lld-23 and
               others), which run them: what tests and benchmarks compare with

It needs Node with `npm ci` done, a Debian-like machine and root (to make a Debian sid root with debootstrap and to work
inside of it), or Debian sid itself. Everywhere else: docker build -f wasm/Dockerfile --output wasm/dist .
(not with --sdk; it builds from source).
Versions, flags and the SHA-256 of every file that went in are written to manifest.json; `npm test` compares them.
TEXT
}

here=$(cd "$(dirname "$0")" && pwd)
sdk='' work=$here/build jobs=$(nproc) mode=release
while [ $# -gt 0 ]; do
  case $1 in
    --sdk) sdk=$(cd "$2" && pwd); shift 2 ;;
    --work) mkdir -p "$2"; work=$(cd "$2" && pwd); shift 2 ;;
    --jobs) jobs=$2; shift 2 ;;
    --debug) mode=debug; shift ;;
    --train) mode=train; shift ;;
    --native) mode=native; shift ;;
    --help | -h) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
done

[ $mode != train ] || [ -z "$sdk" ] || { echo 'build.sh: the libraries of the SDK have no counters: --train builds from source' >&2; exit 2; }

llvm_version=23.1.1
source_version=1:23.1.1-2
source_sha256=0a5838b993f406534db7e6dc7df66e295354a1e9a23bb21e5739cf5df5bc7689
sdk_name=llvm-wasm-sdk-23.1.1-emscripten-6.0.5
clang_sdk_name=clang-wasm-sdk-23.1.1-emscripten-6.0.5
targets='AMDGPU;NVPTX'
profile=$here/wasm/profile/llvm.profdata.zst
# Each of these has one function of a megabyte or more, most of it the same few calls inlined. They are compiled without
# inlining: a first compilation waits for V8 to compile the whole function, and an optimising one takes hundreds of MiB
# for it.
large_units='Target/AMDGPU/MCTargetDesc/AMDGPUMCCodeEmitter.cpp'
# How LLVM is compiled; in the root, the profile lies at /darm-build/llvm.profdata.
llvm_flags='-O2 -DNDEBUG'
profile_flags=''
case $mode in
  train) profile_flags='-fprofile-generate' ;;
  release) [ -n "$sdk" ] || profile_flags='-fprofile-use=/darm-build/llvm.profdata -Wno-profile-instr-unprofiled' ;;
esac
compile_flags="-O2 -std=c++17 -fno-exceptions -fno-rtti -DNDEBUG"
# A function with one caller becomes part of it only when it is small: large ones would make functions of hundreds of
# KiB.
link_flags='-O3 -sBINARYEN_EXTRA_PASSES=one-caller-inline-max-function-size=500'
[ $mode = release ] || link_flags='-O1 --profiling-funcs'
[ $mode != train ] || link_flags='-O1 -fprofile-generate'
exports_of() { sed -e '/^#/d' -e '/^$/d' -e 's/^/_/' "$1" | paste -sd,; }
exports=$(exports_of "$here/wasm/exports.txt")
[ $mode != train ] || exports=$exports,___llvm_profile_set_filename,___llvm_profile_write_file
# Threads and exceptions stay off; the stack lies first so that an overflow traps instead of overwriting data; the memory
# is imported so that its maximum is the job's limit.
settings='-sMODULARIZE -sEXPORT_ES6 -sENVIRONMENT=node,worker -sALLOW_MEMORY_GROWTH -sMAXIMUM_MEMORY=4GB
  -sINITIAL_MEMORY=64MB -sSTACK_SIZE=8MB -sABORTING_MALLOC=1 -sIMPORTED_MEMORY -Wl,--stack-first --no-entry
  -sINCOMING_MODULE_JS_API=instantiateWasm,wasmMemory,print,printErr,onAbort
  -sEXPORTED_RUNTIME_METHODS=stackSave,stackRestore'
[ $mode != train ] || settings=$settings,FS # for the file that the profile is written to

# --- The root: Debian sid has the emscripten the module is built with ----------------------------------------------------
mkdir -p "$work"
if grep -q '^PRETTY_NAME=.*sid' /etc/os-release; then
  root='' # this machine will do
  in_root() { "$@"; }
else
  root=$work/sid
  in_root() { chroot "$root" "$@"; }
  if [ ! -x "$root/usr/bin/apt-get" ]; then
    command -v debootstrap >/dev/null || apt-get install -y debootstrap
    debootstrap --variant=minbase sid "$root"
  fi
fi
mkdir -p "$root/darm-build"
# The sources of the version that is built are in forky, HIP's headers in experimental. A mirror's list may be some days
# old.
list=$root/etc/apt/sources.list
if [ -n "$root" ] && ! grep -q experimental "$list"; then
  mirror=$(awk '$1 == "deb" { print $NF == "main" ? $(NF - 2) : $2; exit }' "$list")
  printf '%s\n' "deb [check-valid-until=no] $mirror sid main" "deb-src [check-valid-until=no] $mirror sid main" \
    "deb-src [check-valid-until=no] $mirror forky main" "deb [check-valid-until=no] $mirror experimental main" >"$list"
  in_root apt-get update
fi
if [ -z "$root" ] && [ -e /etc/apt/sources.list.d/debian.sources ]; then
  sed -e 's/^Types: .*/Types: deb-src/' -e 's/^Suites: .*/Suites: sid forky/' -e '$a Check-Valid-Until: no' \
    /etc/apt/sources.list.d/debian.sources >/etc/apt/sources.list.d/debian-source.sources
  sed -e 's/^Types: .*/Types: deb/' -e 's/^Suites: .*/Suites: experimental/' -e '$a Check-Valid-Until: no' \
    /etc/apt/sources.list.d/debian.sources >/etc/apt/sources.list.d/debian-experimental.sources
  in_root apt-get update
fi
packages='emscripten python3 brotli zstd xz-utils dpkg-dev llvm-23'
[ -n "$sdk" ] && [ $mode != native ] || packages="$packages cmake ninja-build clang-23 clang-tools-23 llvm-23-tools lld-23 llvm-21"
if ! in_root dpkg -s $packages >/dev/null 2>&1; then
  in_root apt-get update
  in_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $packages
fi
if [ $mode = native ]; then
  mkdir -p "$here/build/bin"
  for tool in clang llc opt ld.lld llvm-objdump llvm-readelf; do
    {
      echo '#!/bin/sh'
      echo "exec '$root/lib64/ld-linux-x86-64.so.2' --library-path '$root/usr/lib/llvm-23/lib:$root/usr/lib/x86_64-linux-gnu' \\"
      # clang looks for its headers beside the program that runs it, which is the loader.
      [ $tool != clang ] || own=" -resource-dir '$root/usr/lib/llvm-23/lib/clang/23'"
      echo "  --argv0 '$tool' '$root/usr/lib/llvm-23/bin/$tool'${own-} \"\$@\""
      unset own
    } >"$here/build/bin/$tool-23"
    chmod +x "$here/build/bin/$tool-23"
  done
  exit
fi
[ -z "$profile_flags" ] || [ $mode = train ] || zstd -dqf "$profile" -o "$root/darm-build/llvm.profdata"

# --- LLVM's static libraries: unpacked from the SDK, or built from source ------------------------------------------------
hash() { sha256sum "$1" | cut -d' ' -f1; }
kind=plain
case $profile_flags in
  *generate*) kind=counters ;;
  *use*) kind=profile-$(hash "$profile" | cut -c1-8) ;;
esac
libraries=$work/sdk-$llvm_version-$kind
scratch=$root/darm-build
tree=$scratch/llvm-toolchain-23_$llvm_version
if [ ! -e "$libraries/clang/complete" ]; then
  mkdir -p "$libraries/clang"
  if [ -n "$sdk" ]; then
    (cd "$sdk" && grep -e " $sdk_name" -e " $clang_sdk_name" SHA256SUMS | sha256sum --check --quiet)
    zstd -dc "$sdk/$sdk_name.tar.zst" | tar x -C "$libraries"
    zstd -dc "$sdk/$clang_sdk_name.tar.zst" | tar x -C "$libraries/clang"
  else
    in_root sh -c "cd /darm-build && apt-get source --download-only --tar-only llvm-toolchain-23=$source_version"
    tarball=$scratch/llvm-toolchain-23_$llvm_version.orig.tar.xz
    echo "$source_sha256  $tarball" | sha256sum --check --quiet
    if [ ! -d "$tree/clang/lib" ]; then
      tar xJf "$tarball" -C "$scratch" --wildcards '*/llvm' '*/cmake' '*/third-party' '*/lld' '*/libc' '*/libunwind/include' \
        '*/clang'
      # clang's interpreter of constant expressions would use tail calls, which WebAssembly has only as an extension.
      sed -i 's/defined(__i386__) || defined(__sparc__)$/& || defined(__wasm__)/' "$tree/clang/lib/AST/ByteCode/Interp.cpp"
    fi
    for unit in $large_units; do
      lists=$tree/llvm/lib/$(dirname "$unit")/CMakeLists.txt
      property="set_source_files_properties($(basename "$unit") PROPERTIES COMPILE_OPTIONS \"-fno-inline-functions;-fno-profile-use\")"
      grep -qF "$property" "$lists" || echo "$property" >>"$lists"
    done
    # Otherwise the disassembler has a function of 400 KiB. V8 13.6, of Node 24, ends the process when it optimises that.
    sed -i '/^tablegen(.* -gen-disassembler$/s/$/ --use-fn-table-in-decode-to-mcinst/' \
      "$tree/llvm/lib/Target/AMDGPU/CMakeLists.txt"
    tree_in_root=/darm-build/$(basename "$tree")
    in_root emcmake cmake -G Ninja -S "$tree_in_root/llvm" -B /darm-build/out-$kind \
      -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE="$llvm_flags $profile_flags" \
      -DCMAKE_CXX_FLAGS_RELEASE="$llvm_flags $profile_flags" \
      -DLLVM_TARGETS_TO_BUILD="$targets" -DLLVM_ENABLE_PROJECTS='lld;clang' \
      -DLLVM_DEFAULT_TARGET_TRIPLE=amdgcn-amd-amdhsa -DLLVM_HOST_TRIPLE=wasm32-unknown-emscripten \
      $(for name in THREADS ZLIB ZSTD LIBXML2 LIBEDIT LIBPFM BINDINGS OCAMLDOC PIC UNWIND_TABLES BACKTRACES CRASH_OVERRIDES \
        PLUGINS ASSERTIONS; do echo "-DLLVM_ENABLE_$name=OFF"; done) \
      $(for name in TESTS BENCHMARKS EXAMPLES DOCS RUNTIMES; do echo "-DLLVM_INCLUDE_$name=OFF"; done) \
      -DLLVM_BUILD_TOOLS=OFF -DLLVM_BUILD_UTILS=OFF -DLLD_BUILD_TOOLS=OFF -DLLVM_APPEND_VC_REV=OFF \
      -DCLANG_BUILD_TOOLS=OFF -DCLANG_INCLUDE_TESTS=OFF -DCLANG_INCLUDE_DOCS=OFF -DCLANG_BUILD_EXAMPLES=OFF \
      -DCLANG_ENABLE_STATIC_ANALYZER=OFF -DCLANG_ENABLE_OBJC_REWRITER=OFF -DCLANG_PLUGIN_SUPPORT=OFF \
      -DLLVM_TABLEGEN=/usr/bin/llvm-tblgen-23 -DLLVM_NATIVE_TOOL_DIR=/usr/lib/llvm-23/bin
    in_root ninja -C /darm-build/out-$kind -j "$jobs" LLVMAMDGPU{CodeGen,AsmParser,Desc,Info,Utils,Disassembler} \
      LLVMNVPTX{CodeGen,Desc,Info} LLVMBit{Reader,Writer} LLVM{IRReader,AsmParser,Linker,Passes,IRPrinter,Object,TargetParser} \
      lldELF lldCommon clangCodeGen clangFrontend clangSerialization clang-resource-headers
    mkdir -p "$libraries/lib" "$libraries/include" "$libraries/private/AMDGPU" "$libraries/clang"/{lib,include,resource}
    cp "$scratch/out-$kind"/lib/lib{LLVM,lld}*.a "$libraries/lib/"
    cp "$scratch/out-$kind"/lib/libclang*.a "$libraries/clang/lib/"
    cp -r "$tree/clang/include/." "$scratch/out-$kind/tools/clang/include/." "$libraries/clang/include/"
    cp -r "$scratch/out-$kind/lib/clang/23/include" "$libraries/clang/resource/"
    for project in llvm lld; do cp -r "$tree/$project/include/." "$libraries/include/"; done
    cp -r "$scratch/out-$kind/include/." "$libraries/include/"
    cp -r "$tree/llvm/lib/Target/AMDGPU/." "$libraries/private/AMDGPU/"
    cp "$scratch/out-$kind"/lib/Target/AMDGPU/*.inc "$libraries/private/AMDGPU/"
    cp "$tree/llvm/LICENSE.TXT" "$libraries/LICENSE-LLVM.txt"
  fi
  touch "$libraries/clang/complete"
fi

# --- The shim and the module ---------------------------------------------------------------------------------------------
stage=$root/darm-link
rm -rf "$stage"
mkdir -p "$stage/wasm" "$stage/out"
cp "$here"/wasm/*.cpp "$here"/wasm/*.h "$stage/wasm/"
cp -r "$here/wasm/frontend" "$stage/frontend"
cp -al "$libraries" "$stage/sdk" 2>/dev/null || cp -r "$libraries" "$stage/sdk"
for unit in "$stage"/wasm/*.cpp; do basename "$unit" .cpp; done | in_root xargs -P "$jobs" -I UNIT \
  em++ $compile_flags $profile_flags -I/darm-link/sdk/include -I/darm-link/sdk/private/AMDGPU \
  -I/darm-link/sdk/private/AMDGPU/MCTargetDesc -c /darm-link/wasm/UNIT.cpp -o /darm-link/wasm/UNIT.o
printf '%s\n' files frontend | in_root xargs -P "$jobs" -I UNIT \
  em++ $compile_flags -I/darm-link/sdk/include -I/darm-link/sdk/clang/include \
  -c /darm-link/frontend/UNIT.cpp -o /darm-link/frontend/UNIT.o
# link INPUTS... -o OUTPUT
link() { in_root sh -c "cd /darm-link/out && em++ $link_flags $* $(echo $settings) -sEXPORTED_FUNCTIONS=$exports"; }
inputs='../wasm/*.o -Wl,--start-group ../sdk/lib/*.a -Wl,--end-group -Wl,-Map=llvm.map'
if [ $mode = train ]; then
  link --oformat=bare "$inputs" -o linked.wasm
  node "$here/wasm/hide-counters.mjs" "$stage/out/linked.wasm" "$stage/out/hidden.wasm"
  link --post-link hidden.wasm -o llvm.mjs
else
  link "$inputs" -o llvm.mjs
fi
if [ $mode != train ]; then
  exports=$(exports_of "$here/wasm/frontend/exports.txt") link '../frontend/*.o -Wl,--start-group ../sdk/clang/lib/*.a' \
    '../sdk/lib/*.a -Wl,--end-group -Wl,-Map=clang.map' -o clang.mjs
  # --- Headers and device libraries --------------------------------------------------------------------------------------
  mkdir -p "$scratch/headers"
  "$here/wasm/frontend/collect-headers.sh" "$root" "$libraries/clang/resource/include" "$stage/headers"
  node "$here/wasm/frontend/make-image.mjs" "$stage/headers/image" "$stage/out/headers.image"
fi
# Where the linker put what never changes: a job's end need not restore it.
rodata_of() { awk '$4 == ".rodata" { print "0x" $1, "0x" $3; exit }' "$stage/out/$1.map"; }
constants_start_of() { local range; range=$(rodata_of "$1"); echo $((${range% *})); }
constants_of() {
  local range
  range=$(rodata_of "$1")
  printf '{ "start": %s, "end": %s }' $((${range% *})) $((${range% *} + ${range#* }))
}

facts() {
  local more=''
  [ ! -e "$1.repairs" ] || more=", \"repairs\": $(cat "$1.repairs")"
  printf '{ "bytes": %s, "sha256": "%s"%s }' "$(stat -c %s "$1")" "$(hash "$1")" "$more"
}

# facts_if FILE: null if there is none.
facts_if() { if [ -e "$1" ]; then facts "$1"; else printf null; fi; }

# facts_of PART...: of those that there are.
facts_of() {
  local part all=''
  for part; do [ ! -e "$stage/out/$part.wasm" ] || all="$all${all:+, }\"$part\": $(facts "$stage/out/$part.wasm")"; done
  printf '{ %s }' "$all"
}

# write_dist FOLDER QUALITY: the modules (and their further parts and memories, if there are any) and the image compressed, the
# loaders, the licences, and what went in and came out.
write_dist() {
  local dist=$1 quality=$2 part first=1 compressed='' out=$stage/out
  rm -rf "$dist"
  mkdir -p "$dist"
  cp "$out"/*.mjs "$dist/"
  cp "$libraries/LICENSE-LLVM.txt" "$dist/LICENSE-LLVM.txt"
  [ $mode = train ] || cp -r "$stage/headers/LICENSES" "$dist/LICENSES"
  for part in {llvm,optimiser,rest,clang,clang-rest}.wasm {llvm,clang}.memory headers.image; do
    [ -e "$out/$part" ] || continue
    in_root brotli --force --lgwin=24 -q "$quality" -o /darm-link/out/$part.br /darm-link/out/$part
    cp "$out/$part.br" "$dist/"
    compressed="$compressed${compressed:+, }\"$part.br\": $(facts "$dist/$part.br")"
  done
  [ ! -e "$out/rest.wasm" ] || node "$here/wasm/repair.mjs" "$out"
  {
    printf '{\n  "llvm": "%s",\n' $llvm_version
    printf '  "emscripten": "%s",\n' "$(in_root em++ --version | sed -n '1s/.*) \([0-9.]*\).*/\1/p')"
    printf '  "targets": ["AMDGPU", "NVPTX"],\n'
    printf '  "compileFlags": "%s",\n' "$(echo $compile_flags $profile_flags)"
    printf '  "linkFlags": "%s",\n' "$link_flags $(echo $settings)"
    printf '  "sources": {\n'
    for file in $(cd "$here" && { ls wasm/*.cpp wasm/*.h wasm/*.mjs wasm/exports.txt build.sh &&
      find wasm/frontend wasm/profile wasm/repairs -type f; } | LC_ALL=C sort); do
      [ $first = 1 ] || printf ',\n'
      first=0
      printf '    "%s": "%s"' "$file" "$(hash "$here/$file")"
    done
    printf '\n  },\n  "module": %s,\n  "further": %s,\n' "$(facts "$out/llvm.wasm")" "$(facts_of optimiser rest)"
    printf '  "memory": %s,\n' "$(facts_if "$out/llvm.memory")"
    printf '  "compressed": { %s },\n' "$compressed"
    printf '  "constants": %s,\n' "$(constants_of llvm)"
    printf '  "loader": %s,\n' "$(facts "$dist/llvm.mjs")"
    if [ $mode = train ]; then
      printf '  "frontend": null\n}\n'
    else
      printf '  "frontend": {\n    "module": %s,\n    "further": %s,\n' "$(facts "$out/clang.wasm")" "$(facts_of clang-rest)"
      printf '    "memory": %s,\n' "$(facts_if "$out/clang.memory")"
      printf '    "constants": %s,\n    "loader": %s,\n' "$(constants_of clang)" "$(facts "$dist/clang.mjs")"
      printf '    "image": %s,\n    "origins": %s,\n' "$(facts "$out/headers.image")" "$(cat "$stage/headers/origins.json")"
      printf '    "processors": [%s]\n  }\n}\n' "$(ls "$stage/headers/image/device" |
        sed -n 's/oclc_isa_version_\(.*\)\.bc/"\1"/p' | LC_ALL=C sort | paste -sd,)"
    fi
  } >"$dist/manifest.json"
  echo "build.sh: wrote $(du -ck "$dist"/*.br | tail -n 1 | cut -f1) KiB to ${dist#"$here"/}/"
}

if [ $mode = debug ]; then
  write_dist "$here/wasm/dist-debug" 1
  exit
fi

(cd "$here" && npx tsc)
if [ $mode = train ]; then
  write_dist "$stage/dist" 1
  DARM_WASM=$stage/dist node "$here/dist/wasm/train.js" "$stage/out/train"
  in_root sh -c 'llvm-profdata-21 merge -o /darm-link/out/llvm.profdata /darm-link/out/train.*.profraw'
  mkdir -p "$(dirname "$profile")"
  zstd -qf --ultra -22 "$stage/out/llvm.profdata" -o "$profile"
  echo "build.sh: wrote $(du -k "$profile" | cut -f1) KiB to ${profile#"$here"/}"
  exit
fi

# --- Initialised, and divided --------------------------------------------------------------------------------------------
for module in llvm clang; do
  node "$here/wasm/initialise.mjs" "$stage/out/$module.mjs" "$stage/out/$module.wasm" "$(constants_start_of $module)" \
    "$stage/out/whole.wasm" "$stage/out/$module.memory"
  mv "$stage/out/whole.wasm" "$stage/out/$module.wasm"
done
write_dist "$stage/dist" 1
features='--enable-bulk-memory --enable-sign-ext --enable-mutable-globals --enable-nontrapping-float-to-int
  --enable-multivalue --enable-reference-types'
# calls_of MODULE PERCENT: the functions that more than so many percent of the runs call, by V8's trace while the commands run
# that come on standard input. Numbers of functions in a module count the imports, where wasm-split does not.
calls_of() {
  local module=$1 percent=$2 imports runs=0
  imports=$(node -p "WebAssembly.Module.imports(new WebAssembly.Module(require('fs').readFileSync('$stage/out/$module.wasm')))
    .filter(({ kind }) => kind === 'function').length")
  : >"$stage/out/calls"
  while read -r script input; do
    # INPUT is a file and, for LLVM, how to optimise it.
    DARM_WASM=$stage/dist node --trace-wasm-compilation-times "wasm/$script" $input </dev/null |
      sed -n 's/^Compiled function [^#]*#\([0-9]*\) using Liftoff.*/\1/p' | sort -nu >>"$stage/out/calls"
    runs=$((runs + 1))
  done
  sort -n "$stage/out/calls" | uniq -c |
    awk -v imports="$imports" -v least=$((runs * percent / 100)) '$1 > least { print $2 - imports }'
}
# divide MODULE [PART]... REST: into the functions of the list out/MODULE.list, which stay, those of out/PART.list, and the
# rest. All of the first part is compiled before anything runs, on all processors, and so is a PART when it will be needed;
# of the rest, what is called, when it is called.
divide() {
  local module=$1 part lists=''
  shift
  for part in "${@:1:$#-1}"; do lists="$lists $part $stage/out/$part.list"; done
  node "$here/wasm/parts.mjs" "$stage/out/$module.wasm" "$stage/out/$module.list" $lists "${!#}" >"$stage/out/parts"
  in_root wasm-split --multi-split /darm-link/out/$module.wasm --manifest=/darm-link/out/parts --no-placeholders $features \
    --export-prefix=% --out-prefix=/darm-link/out/ -o /darm-link/out/first.wasm
  for part; do node "$here/wasm/fill-table.mjs" "$stage/out/first.wasm" "$stage/out/$part.wasm"; done
  in_root wasm-opt --remove-unused-module-elements $features /darm-link/out/first.wasm -o /darm-link/out/$module.wasm
  rm "$stage/out/first.wasm"
}
# kernels_of PATTERN...: the commands that compile these.
cd "$here"
kernels_of() { ls "$@" | sed 's/^/first-calls.mjs /'; }
kernels_of kernels/ir/*.gfx{906,90a,1100}.O3.bc kernels/corpus/ir/*.gfx{906,1030,1100}.bc | calls_of llvm 25 >"$stage/out/llvm.list"
# What clang makes is optimised first.
kernels_of kernels/ir/*.gfx{906,1100}.early.bc | sed 's/$/ O3/' | calls_of llvm 25 >"$stage/out/optimiser.list"
divide llvm optimiser rest
{ kernels_of kernels/*.hip && echo first-calls.mjs wasm/frontend/first-calls.cl; } | sed 's/^/frontend\//' |
  calls_of clang 0 >"$stage/out/clang.list"
divide clang clang-rest
wc -l "$stage"/out/{llvm,optimiser,clang}.list
write_dist "$here/wasm/dist" 11
# Of the rest, what kernels call is told apart from what they do not: that stays on disk (src/platform/divide.ts).
{
  kernels_of kernels/ir/*.gfx*.bc kernels/corpus/ir/*.bc
  kernels_of kernels/ir/*.early.bc | sed 's/$/ O3/'
  { kernels_of kernels/*.hip && echo first-calls.mjs wasm/frontend/first-calls.cl; } | sed 's/^/frontend\//'
} | while read -r script input; do
  node --trace-wasm-compilation-times "wasm/$script" $input </dev/null
done >"$stage/out/calls.trace"
node wasm/divide.mjs wasm/dist "$stage/out/calls.trace"
