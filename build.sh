#!/usr/bin/env bash
# Builds the compiler module: wasm/dist/llvm.wasm.br, llvm.mjs and manifest.json. `build.sh --help` explains itself.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: build.sh [--sdk DIR] [--work DIR] [--jobs N] [--debug]

Links LLVM 22.1.8 (AMDGPU, NVPTX, lld) and the shim in wasm/ into one WebAssembly module, wasm/dist/.

  --sdk DIR    take LLVM's static libraries from the prebuilt SDK archive in DIR (minutes);
               without it they are built from LLVM's source first (about an hour on two cores)
  --work DIR   where the build root, the source and the libraries go (default: build/)
  --jobs N     parallel compilations (default: all processors)
  --debug      link in seconds, at -O1 with function names, for readable stack traces; writes
               wasm/dist-debug/ instead (use it with DARM_WASM=wasm/dist-debug)

It needs a Debian-like machine and root (to make a Debian trixie root with debootstrap and to work inside of it), or
Debian trixie itself. Everywhere else: docker build -f wasm/Dockerfile --output wasm/dist .
(not with --sdk; it builds from source).
Versions, flags and the SHA-256 of every file that went in are written to manifest.json; `npm test` compares them.
TEXT
}

here=$(cd "$(dirname "$0")" && pwd)
sdk='' work=$here/build jobs=$(nproc) debug=''
while [ $# -gt 0 ]; do
  case $1 in
    --sdk) sdk=$(cd "$2" && pwd); shift 2 ;;
    --work) mkdir -p "$2"; work=$(cd "$2" && pwd); shift 2 ;;
    --jobs) jobs=$2; shift 2 ;;
    --debug) debug=1; shift ;;
    --help | -h) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
done

llvm_version=22.1.8
source_sha256=b49b9277aef97616320b2da259e1f8174c65b0ce2fbe2e8629644a97693402fe
sdk_name=llvm-wasm-sdk-22.1.8-emscripten-3.1.69
targets='AMDGPU;NVPTX'
compile_flags='-O2 -std=c++17 -fno-exceptions -fno-rtti -DNDEBUG'
link_flags='-O3'
if [ -n "$debug" ]; then link_flags='-O1 --profiling-funcs'; fi
# Threads and exceptions stay off; the stack lies first so that an overflow traps instead of overwriting data; the memory
# is imported so that its maximum is the job's limit.
settings='-sMODULARIZE -sEXPORT_ES6 -sENVIRONMENT=node,worker -sALLOW_MEMORY_GROWTH -sMAXIMUM_MEMORY=4GB
  -sINITIAL_MEMORY=64MB -sSTACK_SIZE=8MB -sABORTING_MALLOC=1 -sIMPORTED_MEMORY -Wl,--stack-first --no-entry
  -sINCOMING_MODULE_JS_API=instantiateWasm,wasmMemory,print,printErr,onAbort
  -sEXPORTED_RUNTIME_METHODS=stackSave,stackRestore'

# --- The root: Debian trixie has the emscripten the module is built with -------------------------------------------------
mkdir -p "$work"
if grep -q '^VERSION_CODENAME=trixie' /etc/os-release; then
  root='' # this machine will do
  in_root() { "$@"; }
else
  root=$work/trixie
  in_root() { chroot "$root" "$@"; }
  if [ ! -x "$root/usr/bin/apt-get" ]; then
    command -v debootstrap >/dev/null || apt-get install -y debootstrap
    debootstrap --variant=minbase trixie "$root"
  fi
fi
# debootstrap lists the main suite only: add updates, security and sources from the same mirror.
mirror=$(sed -n 's/^deb \([^ ]*\) trixie main.*/\1/p' "$root/etc/apt/sources.list" 2>/dev/null | head -n 1)
if [ -n "$root" ] && ! grep -q trixie-security "$root/etc/apt/sources.list"; then
  for suite in trixie-updates trixie-security; do
    base=$mirror
    [ $suite = trixie-security ] && base=${mirror%/debian}/debian-security
    printf 'deb %s %s main\n' "$base" $suite
  done >>"$root/etc/apt/sources.list"
  sed -i 's/^deb \(.*\)$/deb \1\ndeb-src \1/' "$root/etc/apt/sources.list"
fi
if [ -z "$sdk" ] && [ -e "$root/etc/apt/sources.list.d/debian.sources" ]; then
  sed -i 's/^Types: deb$/Types: deb deb-src/' "$root/etc/apt/sources.list.d/debian.sources"
fi
packages='emscripten python3 brotli xz-utils zstd'
[ -n "$sdk" ] || packages="$packages cmake ninja-build clang-22 llvm-22 llvm-22-tools lld-22 dpkg-dev"
if ! in_root dpkg -s $packages >/dev/null 2>&1; then
  in_root apt-get update
  in_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $packages
fi

# --- LLVM's static libraries: unpacked from the SDK, or built from source ------------------------------------------------
libraries=$work/sdk-$llvm_version
if [ ! -e "$libraries/complete" ]; then
  mkdir -p "$libraries"
  if [ -n "$sdk" ]; then
    (cd "$sdk" && grep " $sdk_name" SHA256SUMS | sha256sum --check --quiet)
    zstd -dc "$sdk/$sdk_name.tar.zst" | tar x -C "$libraries"
  else
    scratch=${root:-}/darm-build
    mkdir -p "$scratch"
    in_root sh -c 'cd /darm-build && apt-get source --download-only --tar-only llvm-toolchain-22'
    tarball=$scratch/llvm-toolchain-22_$llvm_version.orig.tar.xz
    echo "$source_sha256  $tarball" | sha256sum --check --quiet
    tree=$scratch/llvm-toolchain-22_$llvm_version
    if [ ! -d "$tree/llvm" ]; then
      tar xJf "$tarball" -C "$scratch" --wildcards '*/llvm' '*/cmake' '*/third-party' '*/lld' '*/libunwind/include'
    fi
    tree_in_root=/darm-build/$(basename "$tree")
    in_root emcmake cmake -G Ninja -S "$tree_in_root/llvm" -B /darm-build/out \
      -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE='-O2 -DNDEBUG' -DCMAKE_CXX_FLAGS_RELEASE='-O2 -DNDEBUG' \
      -DLLVM_TARGETS_TO_BUILD="$targets" -DLLVM_ENABLE_PROJECTS=lld \
      -DLLVM_DEFAULT_TARGET_TRIPLE=amdgcn-amd-amdhsa -DLLVM_HOST_TRIPLE=wasm32-unknown-emscripten \
      $(for name in THREADS ZLIB ZSTD LIBXML2 LIBEDIT LIBPFM BINDINGS OCAMLDOC PIC UNWIND_TABLES BACKTRACES CRASH_OVERRIDES \
        PLUGINS ASSERTIONS; do echo "-DLLVM_ENABLE_$name=OFF"; done) \
      $(for name in TESTS BENCHMARKS EXAMPLES DOCS RUNTIMES; do echo "-DLLVM_INCLUDE_$name=OFF"; done) \
      -DLLVM_BUILD_TOOLS=OFF -DLLVM_BUILD_UTILS=OFF -DLLD_BUILD_TOOLS=OFF -DLLVM_APPEND_VC_REV=OFF \
      -DLLVM_TABLEGEN=/usr/bin/llvm-tblgen-22 -DLLVM_NATIVE_TOOL_DIR=/usr/lib/llvm-22/bin
    in_root ninja -C /darm-build/out -j "$jobs" LLVMAMDGPU{CodeGen,AsmParser,Desc,Info,Utils,Disassembler} \
      LLVMNVPTX{CodeGen,Desc,Info} LLVMBit{Reader,Writer} LLVM{IRReader,AsmParser,Linker,Passes,IRPrinter,Object,TargetParser} \
      lldELF lldCommon
    mkdir -p "$libraries/lib" "$libraries/include" "$libraries/private/AMDGPU"
    cp "$scratch"/out/lib/*.a "$libraries/lib/"
    for project in llvm lld; do cp -r "$tree/$project/include/." "$libraries/include/"; done
    cp -r "$scratch/out/include/." "$libraries/include/"
    cp -r "$tree/llvm/lib/Target/AMDGPU/." "$libraries/private/AMDGPU/"
    cp "$scratch"/out/lib/Target/AMDGPU/*.inc "$libraries/private/AMDGPU/"
    cp "$tree/llvm/LICENSE.TXT" "$libraries/LICENSE-LLVM.txt"
  fi
  touch "$libraries/complete"
fi

# --- The shim and the module ---------------------------------------------------------------------------------------------
stage=${root:-}/darm-link
rm -rf "$stage/wasm" "$stage/out"
mkdir -p "$stage/wasm" "$stage/out"
cp "$here"/wasm/*.cpp "$here"/wasm/*.h "$stage/wasm/"
if [ ! -e "$stage/sdk/complete" ]; then
  rm -rf "$stage/sdk"
  cp -al "$libraries" "$stage/sdk" 2>/dev/null || cp -r "$libraries" "$stage/sdk"
fi
exports=$(sed -e '/^#/d' -e '/^$/d' -e 's/^/_/' "$here/wasm/exports.txt" | paste -sd,)
for unit in "$stage"/wasm/*.cpp; do basename "$unit" .cpp; done | in_root xargs -P "$jobs" -I UNIT \
  em++ $compile_flags -I/darm-link/sdk/include -I/darm-link/sdk/private/AMDGPU -I/darm-link/sdk/private/AMDGPU/MCTargetDesc \
  -c /darm-link/wasm/UNIT.cpp -o /darm-link/wasm/UNIT.o
in_root sh -c "em++ $link_flags /darm-link/wasm/*.o -Wl,--start-group /darm-link/sdk/lib/*.a -Wl,--end-group \
  -Wl,-Map=/darm-link/out/llvm.map -o /darm-link/out/llvm.mjs $(echo $settings) -sEXPORTED_FUNCTIONS=$exports"

dist=$here/wasm/dist
if [ -n "$debug" ]; then
  dist=$here/wasm/dist-debug
  quality=1
else
  quality=11
fi
mkdir -p "$dist"
cp "$stage/out/llvm.mjs" "$dist/llvm.mjs"
in_root brotli --force --lgwin=24 -q $quality -o /darm-link/out/llvm.wasm.br /darm-link/out/llvm.wasm
cp "$stage/out/llvm.wasm.br" "$dist/llvm.wasm.br"
cp "$libraries/LICENSE-LLVM.txt" "$dist/LICENSE-LLVM.txt"

# --- What went in, and what came out -------------------------------------------------------------------------------------
# Where the linker put what never changes: a job's end need not restore it.
constants=$(awk '$4 == ".rodata" { print "0x" $1, "0x" $3; exit }' "$stage/out/llvm.map")
constants_start=$((${constants% *})) constants_end=$((${constants% *} + ${constants#* }))
hash() { sha256sum "$1" | cut -d' ' -f1; }
{
  printf '{\n  "llvm": "%s",\n' $llvm_version
  printf '  "emscripten": "%s",\n' "$(in_root em++ --version | sed -n '1s/.*) \([0-9.]*\).*/\1/p')"
  printf '  "targets": ["AMDGPU", "NVPTX"],\n'
  printf '  "compileFlags": "%s",\n  "linkFlags": "%s",\n' "$compile_flags" "$link_flags $(echo $settings)"
  printf '  "sources": {\n'
  first=1
  for file in $(cd "$here" && ls wasm/*.cpp wasm/*.h wasm/exports.txt build.sh | LC_ALL=C sort); do
    [ $first = 1 ] || printf ',\n'
    first=0
    printf '    "%s": "%s"' "$file" "$(hash "$here/$file")"
  done
  printf '\n  },\n  "module": { "bytes": %s, "sha256": "%s" },\n' "$(stat -c %s "$stage/out/llvm.wasm")" "$(hash "$stage/out/llvm.wasm")"
  printf '  "compressed": { "bytes": %s, "sha256": "%s" },\n' "$(stat -c %s "$dist/llvm.wasm.br")" "$(hash "$dist/llvm.wasm.br")"
  printf '  "constants": { "start": %s, "end": %s },\n' $constants_start $constants_end
  printf '  "loader": { "bytes": %s, "sha256": "%s" }\n}\n' "$(stat -c %s "$dist/llvm.mjs")" "$(hash "$dist/llvm.mjs")"
} >"$dist/manifest.json"
echo "build.sh: wrote $(du -k "$dist/llvm.wasm.br" | cut -f1) KiB to ${dist#"$here"/}/"
