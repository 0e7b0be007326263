/**
 * Modules that are well formed, or nearly so, and as large, deep or odd as their form allows. They are made new, not
 * mutated.
 */
import type { Draw } from '../../support/draw.js';
import { TYPES } from './mutate-text.js';

const repeated = (count: number, line: (i: number) => string): string => Array.from({ length: count }, (_, i) => line(i)).join('\n'); // prettier-ignore

const kernel = (body: string, more = '', cpu = 'gfx906'): string =>
  `define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n) "target-cpu"="${cpu}" {\n${body}\n}\n${more}`;

const done = '  store i32 1, ptr addrspace(1) %p\n  ret void';

const FORMS: readonly ((draw: Draw) => string)[] = [
  // A chain of as many additions, blocks, cases, arguments or globals.
  (draw) => {
    const count = draw.pick([10, 300, 2000]);
    return kernel(`  %v0 = add i32 %n, 1\n${repeated(count, (i) => `  %v${i + 1} = mul i32 %v${i}, %n`)}\n  store i32 %v${count}, ptr addrspace(1) %p\n  ret void`); // prettier-ignore
  },
  (draw) => {
    const count = draw.pick([10, 300, 1500]);
    return kernel(`  br label %b0\n${repeated(count, (i) => `b${i}:\n  br label %b${i + 1}`)}\nb${count}:\n${done}`);
  },
  (draw) => {
    const count = draw.pick([10, 500, 3000]);
    const cases = repeated(count, (i) => `    i32 ${i * draw.pick([1, 7])}, label %${i % 2 ? 'a' : 'b'}`);
    return kernel(`  switch i32 %n, label %b [\n${cases}\n  ]\na:\n  store i32 2, ptr addrspace(1) %p\n  ret void\nb:\n${done}`); // prettier-ignore
  },
  (draw) => {
    const type = draw.pick(TYPES);
    const args = Array.from({ length: draw.pick([1, 40, 400]) }, (_, i) => `${type} %a${i}`).join(', ');
    return `define amdgpu_kernel void @k(${args}) "target-cpu"="gfx906" {\n  ret void\n}\n`;
  },
  (draw) =>
    kernel(
      done,
      repeated(draw.pick([10, 500, 5000]), (i) => `@g${i} = addrspace(${i % 6}) global i32 ${i}`),
    ),
  // Large memory.
  (draw) => `@x = addrspace(${draw.pick([1, 3, 4])}) global [${draw.pick([65536, 1_000_000, 2 ** 32, 2 ** 52])} x i8] ${draw.pick(['zeroinitializer', 'undef', 'poison'])}\n${kernel(done)}`, // prettier-ignore
  (draw) => kernel(`  %a = alloca [${draw.pick([100, 65536, 2 ** 31, 2 ** 40])} x i32], ${draw.pick(['', 'i32 %n, '])}align 4, addrspace(5)\n  %q = getelementptr i32, ptr addrspace(5) %a, i32 %n\n  store i32 1, ptr addrspace(5) %q\n${done}`), // prettier-ignore
  (draw) => `define amdgpu_kernel void @k(ptr addrspace(4) byref([${draw.pick([100, 65536, 2 ** 24])} x i8]) %a) "target-cpu"="gfx906" {\n  ret void\n}\n`, // prettier-ignore
  // Depth.
  (draw) => {
    const depth = draw.pick([10, 500, 20_000]);
    return `@g = external global ${'[1 x '.repeat(depth)}i32${']'.repeat(depth)}\n${kernel(done)}`;
  },
  (draw) => {
    const depth = draw.pick([10, 300, 3000]);
    return `@g = addrspace(1) global i64 ${'add (i64 1, i64 '.repeat(depth)}ptrtoint (ptr addrspace(1) @g to i64)${')'.repeat(depth)}\n${kernel(done)}`; // prettier-ignore
  },
  (draw) =>
    kernel(
      done,
      repeated(draw.pick([10, 3000]), (i) => `!${i} = !{!${i + 1}, !${i}}`),
    ),
  // References that go round.
  () => kernel(done, '@a = alias i32, ptr @b\n@b = alias i32, ptr @a\n'),
  () => kernel(done, '%t = type { %t }\n@g = external global %t\n'),
  () => kernel(done, '!llvm.module.flags = !{!0}\n!0 = !{i32 1, !"wchar_size", !0}\n'),
  () => kernel('  call void @f()\n  ret void', 'define void @f() {\n  call void @f()\n  ret void\n}\n'),
  () => kernel('  br label %l\nl:\n  br label %l'),
  () => kernel('  %c = icmp eq i32 %n, 1\n  br i1 %c, label %x, label %y\nx:\n  br label %y\ny:\n  %d = icmp eq i32 %n, 2\n  br i1 %d, label %x, label %z\nz:\n  br i1 %c, label %y, label %e\ne:\n  ret void'), // prettier-ignore
  () => kernel('  br label %b\nb:\n  %q = phi ptr [ blockaddress(@k, %b), %0 ], [ blockaddress(@k, %e), %b ]\n  indirectbr ptr %q, [label %b, label %e]\ne:\n  ret void'), // prettier-ignore
  // Names and strings that others will print.
  (draw) => `define amdgpu_kernel void @"${draw.pick(['\\00', '\\0a\\0aerror: x', '\\1b]0;x\\07', '../../x', '%s%n', '\\ff\\fe', '', 'k'.repeat(70_000), '.kd', 'llvm.trap', '__proto__'])}"() "target-cpu"="gfx906" {\n  ret void\n}\n`, // prettier-ignore
  (draw) => kernel(done, '', draw.pick(['', 'gfx', 'gfx9999', '../gfx906', 'gfx906:xnack+', '\\00', '\\1b[2J', 'generic', 'native', 'x'.repeat(5000)])), // prettier-ignore
  (draw) => `define void @f() section "${draw.pick(['\\00', '.note', '.text,"awx"', '../x', 's'.repeat(5000)])}" {\n  ret void\n}\n${kernel(done)}`, // prettier-ignore
  (draw) => `target datalayout = "${draw.pick(['e', 'E', 'e-p:8:8', 'e-p0:64:64-p1:16777216:8', 'e-i64:63', 'e-A5-G1-S99999999', 'e-p:64:64:64:65', 'x', '-'.repeat(1000)])}"\n${kernel(done)}`, // prettier-ignore
  (draw) => `target triple = "${draw.pick(['x86_64-pc-linux-gnu', 'amdgcn', 'amdgcn--amdpal', 'r600', 'nvptx64-nvidia-cuda', 'spirv64', '', '-', 'amdgcn-amd-amdhsa-'.repeat(100)])}"\n${kernel(done)}`, // prettier-ignore
  // Values of odd types.
  (draw) => {
    const type = draw.pick(TYPES);
    return kernel(`  %v = load ${type}, ptr addrspace(1) %p, align ${draw.pick([1, 4, 1024])}\n  %w = freeze ${type} %v\n  store ${type} %w, ptr addrspace(1) %p\n  ret void`); // prettier-ignore
  },
  (draw) => {
    const type = draw.pick(['i33', 'i129', 'i999', '<3 x i65>', '<33 x i32>', '<65 x i1>', '<7 x half>']);
    const operation = draw.pick(['add', 'mul', 'udiv', 'srem', 'shl', 'ashr', 'xor']);
    return kernel(`  %v = load ${type}, ptr addrspace(1) %p\n  %w = ${operation} ${type} %v, %v\n  store ${type} %w, ptr addrspace(1) %p\n  ret void`); // prettier-ignore
  },
  // A branch worth melding over such values.
  (draw) => {
    const type = draw.pick(['<2 x i32>', '<16 x i32>', '<17 x i32>', '<32 x i32>', '<16 x i64>', 'i128', '{ ptr, i32 }', 'ptr', '<4 x ptr>']); // prettier-ignore
    const side = (name: string): string =>
      `${name}:\n  %${name}q = getelementptr i8, ptr addrspace(1) %p, i32 ${name === 'a' ? 4096 : 8192}\n  %${name}v = load ${type}, ptr addrspace(1) %${name}q\n  store ${type} %${name}v, ptr addrspace(1) %p\n  br label %e`; // prettier-ignore
    return kernel(`  %t = call i32 @llvm.amdgcn.workitem.id.x()\n  %c = icmp ult i32 %t, %n\n  br i1 %c, label %a, label %b\n${side('a')}\n${side('b')}\ne:\n  %m = phi ${type} [ %av, %a ], [ %bv, %b ]\n  store ${type} %m, ptr addrspace(1) %p\n  ret void`, 'declare i32 @llvm.amdgcn.workitem.id.x()\n'); // prettier-ignore
  },
];

export function hostileModule(draw: Draw): string {
  const module = draw.pick(FORMS)(draw);
  return module.startsWith('target triple') ? module : `target triple = "amdgcn-amd-amdhsa"\n${module}`;
}
