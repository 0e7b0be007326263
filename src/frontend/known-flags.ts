/** The flags of clang whose words say all there is to do: they go to `-cc1` as they are, or there is nothing to do. */

/**
 * Flags that `-cc1` takes as the driver does. What takes one of them back (`-frtti`, `-fno-rtti`) is in the list below.
 */
export const SAME = new Set([
  '-pthread', '-w', '-pedantic', '-pedantic-errors', '-undef', '-C', '-CC', '-P', '-dD', '-dM', '-H', '-fno-rtti', '-fwrapv',
  '-fno-inline', '-fno-inline-functions', '-finline-functions', '-finline-hint-functions', '-ffreestanding',
  '-fno-builtin', '-fno-signed-char', '-fgpu-exclude-wrong-side-overloads',
  '-fgpu-allow-device-init', '-fgpu-defer-diag', '-fno-hip-fp32-correctly-rounded-divide-sqrt',
  '-fdeclspec', '-fno-show-column', '-fno-caret-diagnostics', '-fno-diagnostics-show-option',
  '-fdiagnostics-print-source-range-info', '-fdiagnostics-parseable-fixits', '-fno-diagnostics-fixit-info',
  '-fdiagnostics-show-template-tree', '-fno-elide-type', '-fcoroutines', '-fsized-deallocation',
  '-faligned-allocation', '-fchar8_t', '-fno-char8_t', '-fno-operator-names', '-fdelayed-template-parsing',
  '-fblocks', '-fno-threadsafe-statics', '-fno-common', '-fno-spell-checking', '-fshort-enums',
  '-fno-assume-sane-operator-new', '-fno-dollars-in-identifiers', '-ftrapv', '-fno-access-control',
  '-fno-delete-null-pointer-checks', '-mno-amdgpu-ieee', '-fatomic-fine-grained-memory', '-fatomic-remote-memory',
  '-fatomic-ignore-denormal-mode', '-fexperimental-new-constant-interpreter', '-ffixed-point', '-fno-autolink',
  '-fstrict-enums', '-fno-elide-constructors', '-fno-implicit-modules', '-fignore-exceptions',
  '-fvisibility-inlines-hidden', '-fno-jump-tables', '-fhip-kernel-arg-name', '-fconvergent-functions',
  '-fno-convergent-functions', '-fstrict-vtable-pointers', '-fdollars-in-identifiers', '-fno-use-cxa-atexit',
  '-fmerge-all-constants', '-ffinite-loops', '-fno-finite-loops', '-fno-strict-float-cast-overflow',
  '-fwrapv-pointer', '-fno-strict-return', '-fprotect-parens', '-fgnu-keywords', '-fasm-blocks',
  '-fno-sized-deallocation', '-fno-aligned-allocation', '-fkeep-static-consts', '-fno-show-source-location',
  '-fno-assumptions', '-fno-optimize-sibling-calls', '-fwritable-strings', '-fforce-enable-int128', '-fms-volatile',
  '-fforce-emit-vtables', '-cl-single-precision-constant', '-cl-strict-aliasing', '-cl-mad-enable',
  '-cl-no-signed-zeros', '-cl-kernel-arg-info', '-cl-opt-disable', '-cl-fp32-correctly-rounded-divide-sqrt',
  '-cl-unsafe-math-optimizations', '-cl-fast-relaxed-math', '-fopenmp-simd', '-fdiagnostics-absolute-paths',
  '-fno-diagnostics-show-note-include-stack', '-fparse-all-comments', '-fno-trigraphs', '-fnew-infallible',
  '-foffload-uniform-block', '-fno-offload-uniform-block', '-foffload-implicit-host-device-templates',
  '-fassume-nothrow-exception-dtor', '-fuse-line-directives', '-funroll-loops', '-fno-unroll-loops',
]); // prettier-ignore

/** Flags with `=` that `-cc1` takes as they are. */
export const SAME_WITH_VALUE = [
  '-ftemplate-depth=', '-fconstexpr-depth=', '-fconstexpr-steps=', '-ftemplate-backtrace-limit=',
  '-fmacro-backtrace-limit=', '-fconstexpr-backtrace-limit=', '-fmax-type-align=', '-cl-ext=', '-mprintf-kind=', '-fmacro-prefix-map=',
  '-fdebug-prefix-map=', '-fgpu-default-stream=', '-fmessage-length=', '-fspell-checking-limit=',
  '-flax-vector-conversions=', '-fclang-abi-compat=', '-fno-builtin-', '-fpack-struct=', '-cuid=',
  '-ffp-eval-method=', '-ftrivial-auto-var-init=', '-fnew-alignment=', '-fstrict-flex-arrays=',
  '--gpu-max-threads-per-block=',
]; // prettier-ignore

/**
 * Flags that say what is so anyway, or that concern only what we do not do: host code (`-fopenmp`, as clang's driver
 * has it for HIP, and the host's processor), linking, and where clang's driver would look for other tools. They take
 * back their opposite: of `-fno-rtti -frtti`, the last wins.
 */
export const NOTHING_TO_DO = new Set([
  // What is to be written is the caller's to say; the command has it from these (cli/source.ts).
  '-E', '-S',
  '-frtti', '-fno-gpu-exclude-wrong-side-overloads', '-fno-gpu-defer-diag', '-mamdgpu-ieee',
  '-fno-atomic-fine-grained-memory', '-fno-atomic-remote-memory', '-fno-atomic-ignore-denormal-mode', '-c',
  '--offload-device-only', '--cuda-device-only', '-emit-llvm', '-pipe', '-fPIC', '-fpic', '-fPIE', '-fpie',
  '-fsigned-char', '-fno-gpu-rdc', '-fhip-fp32-correctly-rounded-divide-sqrt',
  '-fgpu-sanitize', '-fno-gpu-sanitize', '-fno-gpu-allow-device-init',
  '-fcaret-diagnostics', '-fshow-column', '-fbuiltin', '-finline', '-fno-strict-enums',
  '-fno-stack-protector', '-Qunused-arguments', '-fno-ident', '-Qn', '-m64', '--hip-link', '-fno-lto', '-flto',
  '-fno-ms-compatibility', '-fno-plt', '-no-canonical-prefixes', '-fno-crash-diagnostics',
  '-gz=none', '-fno-unroll-all-loops', '-no-hip-rt', '--no-offload-new-driver', '--offload-new-driver',
  '-fno-offload-lto', '-fthreadsafe-statics', '-fopenmp', '-fno-openmp', '-fno-wrapv', '-fno-wrapv-pointer',
  '-fno-semantic-interposition', '-fstandalone-debug', '-fno-standalone-debug', '-fjump-tables', '-fverbose-asm',
  '-fhip-new-launch-api', '-fno-hip-new-launch-api', '-fno-hip-kernel-arg-name', '-fno-trapv',
  '-fno-merge-all-constants', '-fdelete-null-pointer-checks', '-foptimize-sibling-calls', '-fextended-identifiers',
  '-fpermissive', '-fno-permissive', '-faccess-control', '-felide-constructors', '-fspell-checking', '-fautolink',
  '-fno-strict-vtable-pointers', '-fno-short-enums', '-fno-cf-protection', '-shared', '-static', '-rdynamic', '-s',
  '-fuse-cxa-atexit', '-fexcess-precision=fast', '-pie', '-no-pie', '-fno-openmp-simd', '-fansi-escape-codes',
  '-fdiagnostics-show-option', '-fdiagnostics-format=clang', '-fno-limit-debug-info', '-fintegrated-as', '-fno-modules',
  '-fassume-sane-operator-new', '-fzero-initialized-in-bss', '-fno-fat-lto-objects',
  '-ffat-lto-objects', '-fcf-protection=none', '-nostdlib', '-nodefaultlibs',
  '-gsplit-dwarf', '-grecord-gcc-switches', '-gno-record-gcc-switches', '-fstack-clash-protection', '-mno-red-zone',
  '-mno-omit-leaf-frame-pointer', '--gpu-bundle-output', '--no-gpu-bundle-output',
  '-fdiagnostics-show-note-include-stack', '-fcommon',
  '-integrated-as', '-nostdlib++', '-fno-align-functions',
  // hipcc's word for a code object.
  '--genco',
  // What clang prints beside its messages: commands and times.
  '-v', '-ftime-report', '-ftime-report=per-pass', '-ftime-report=per-pass-run',
  // Where functions lie; all of them go into one section in the end.
  '-ffunction-sections', '-fno-function-sections', '-fdata-sections', '-fno-data-sections',
]); // prettier-ignore

/** The same, with values. */
export const NOTHING_TO_DO_WITH_VALUE = [
  /^-Wl,/,
  /^-Wa,/,
  /^-(flto|fopenmp|fuse-ld|stdlib|mcmodel|ftls-model|parallel-jobs|fuse-cuid|frandom-seed|-offload-jobs)=/,
  /^--(gcc-toolchain|gcc-install-dir|sysroot|cuda-path|rocm-path|hip-path|hip-version|(rocm|hip)-device-lib-path)=/,
  // GCC's optimisations, which clang does not have.
  /^-f(no-)?(gcse|ivopts|merge-constants|prefetch-loop-arrays|rename-registers|whole-program|use-linker-plugin)$/,
  /^-finline-limit=/,
  /^-finput-charset=utf-?8$/i,
  // How long to look for what repeats; there is one level here.
  /^--offload-compression-level=\d+$/,
  // What clang writes beside the object, and prints of LLVM's passes. The code is the same.
  /^--?save-temps(=|$)/,
  /^-R(no-)?pass(-missed|-analysis)?(=|$)/,
  // AMD's processors have none, whatever the attribute of a function says.
  /^-fstack-protector(-strong|-all)?$/,
  // The host's processor.
  /^-m(arch|tune)=(?!gfx)/,
  /^-m(no-)?(s?sse|avx|fma|f16c|bmi|aes|popcnt|lzcnt|adx|sha|movbe|prfchw|amx|pclmul|rdrnd|rdseed|xsave)[\w.-]*$/,
];
