/**
 * Modules whose inline assembly (of the module or of a function) asks the assembler for the files of the host, for
 * devices, or for more output than there is memory.
 */
import type { Draw } from '../../support/draw.js';

/** What the campaign's process has on standard input and in its environment; no artifact may hold it. */
export const HOST_SECRET = 'SECRET-OF-THE-HOST-4711';

const FILES = ['/dev/stdin', '/dev/fd/0', '/proc/self/fd/0', '/dev/urandom', '/dev/random', '/dev/zero', '/dev/null', '/dev/tty', '/dev/shm/x', '/proc/self/environ', '/proc/self/maps', '/proc/self/fd/3', '/etc/passwd', '/etc/hostname', '../../../../etc/passwd', 'package.json', '.', '/', '', '//', '/kernel.o', '/kernel.hsaco', '/kernel.o.tmp1', '/tmp/x', '/home', 'file:///etc/passwd', '\\00', '/dev/stdin\\00.o', 'C:\\\\boot.ini']; // prettier-ignore

type Line = (draw: Draw) => string;

const FILE_LINES: readonly Line[] = [
  (draw) => `.incbin \\22${draw.pick(FILES)}\\22`,
  (draw) => `.incbin \\22${draw.pick(FILES)}\\22, ${draw.below(100)}, ${draw.below(100)}`,
  (draw) => `.include \\22${draw.pick(FILES)}\\22`,
  (draw) => `.file 1 \\22${draw.pick(FILES)}\\22`,
];

/** Counts are large enough to notice and small enough to end. */
const OTHER_LINES: readonly Line[] = [
  (draw) => `.rept ${draw.pick([10, 1000, 20000])}\\0a.long 1\\0a.endr`,
  () => '.rept 100\\0a.rept 100\\0a.byte 1\\0a.endr\\0a.endr',
  () => '.rept -1\\0a.endr',
  () => '.macro m\\0am\\0am\\0a.endm\\0am',
  () => '.macro m a\\0a.ifb \\\\a\\0a.else\\0am \\\\a\\\\a\\0a.endif\\0a.endm\\0am xx',
  () => '.irp x,1,2,3\\0a.irpc y,abcdef\\0a.byte \\\\x\\0a.endr\\0a.endr',
  (draw) => `.fill ${draw.pick(['1', '65536', '1000000', '-1', '4294967295'])}, 8, 1`,
  (draw) => `.space ${draw.pick(['0', '65536', '16777216', '-1', '4294967295', '9223372036854775807'])}`,
  (draw) => `.org ${draw.pick(['1', '65536', '-1', '4294967296'])}`,
  (draw) => `.p2align ${draw.pick(['1', '31', '32', '63', '64', '99'])}`,
  (draw) => `.zero ${draw.pick(['1', '16777216', '-5', '18446744073709551615'])}`,
  () => '.section .note,\\22\\22,@note\\0a.long 0xffffffff\\0a.long 0xffffffff\\0a.long 32\\0a.ascii \\22AMDGPU\\22',
  () => '.section .text,\\22awx\\22,@nobits',
  () => '.symver a,b@@@c',
  () => '.set a, b\\0a.set b, a\\0a.quad a',
  () => '.amdgcn_target \\22amdgcn-amd-amdhsa--gfx1100\\22',
  () => '.amdhsa_code_object_version 99',
  () => '.amdhsa_kernel k\\0a.amdhsa_next_free_vgpr 99999\\0a.amdhsa_next_free_sgpr 1\\0a.end_amdhsa_kernel',
  () => '.amdgpu_metadata\\0a  amdhsa.version: [ 9, 9 ]\\0a.end_amdgpu_metadata',
  () => '.cfi_startproc\\0a.cfi_endproc\\0a.cfi_endproc',
  () => '.weakref a, a',
  () => '.globl k\\0ak:\\0as_endpgm',
  () => '.deplibs \\22c\\22',
  () => '.section .deplibs,\\22MS\\22,@llvm_dependent_libraries,1\\0a.asciz \\22/etc/passwd\\22',
  () => '.section .linker-options,\\22e\\22,@llvm_linker_options\\0a.asciz \\22-T\\22\\0a.asciz \\22/etc/passwd\\22',
  () => '.err',
  () => '.print \\22\\1b]0;title\\07\\22',
  () => '.warning \\22\\1b[2J\\22',
  () => '.end',
  () => '.ifdef x',
  () => '.bundle_align_mode 4',
  () => '.pushsection a\\0a.popsection\\0a.popsection',
  () => '.line 99999999999',
  () => '.loc 1 1 1',
  () => '.cv_file 1 \\22a\\22',
];

/**
 * Module assembly that asks for files, and nothing on which LLVM may never end: for the calling thread, which has no
 * time limit.
 */
export const fileAssembly = (draw: Draw): string => withAssembly(`module asm "${draw.pick(FILE_LINES)(draw)}"\n`, '');

/** A module with such assembly; the rest of it is sound. */
export function hostileAssembly(draw: Draw): string {
  const line = (): string => draw.pick(draw.chance(0.4) ? FILE_LINES : OTHER_LINES)(draw);
  const assembly = Array.from({ length: 1 + draw.below(3) }, line).join('\\0a');
  if (draw.chance(0.7)) return withAssembly(`module asm "${assembly}"\n`, '');
  const constraint = draw.pick(['', 's', 'v', '~{memory}', '={v0},0']);
  return withAssembly('', `  call void asm sideeffect "${assembly}", "${constraint}"()\n`);
}

const withAssembly = (ofModule: string, ofFunction: string): string => `target triple = "amdgcn-amd-amdhsa"
${ofModule}define amdgpu_kernel void @k(ptr addrspace(1) %p) "target-cpu"="gfx906" {
${ofFunction}  store i32 1, ptr addrspace(1) %p
  ret void
}
`;
