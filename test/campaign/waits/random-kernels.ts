/**
 * Random kernels whose waits can be checked: accesses to the LDS and to memory, barriers, fences and atomics, in loops
 * and branches, and calls of functions that are not inlined. They are never executed, so races do no harm, and loops
 * may go on for as long as they like. What they compute means nothing.
 *
 * Fences leave nothing in assembly but the waits that are to be checked. So comments say where they are, as inline
 * assembly, which LLVM leaves in its place: `; RELEASE workgroup` behind a fence that releases, `; RELEASED agent`
 * behind an atomic operation that does, `; VOLATILE load` behind a volatile load from memory.
 */
import type { Draw } from '../../support/draw.js';

const FUNCTIONS = 3;
const KERNELS = 6;
const THREADS = 256;
/** Targets whose loads can write into the LDS by themselves. */
const LOADS_INTO_LDS = ['gfx906', 'gfx90a', 'gfx942', 'gfx1030'];

const DECLARATIONS = `declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
declare void @llvm.amdgcn.global.load.lds(ptr addrspace(1), ptr addrspace(3), i32, i32, i32)
declare i32 @llvm.amdgcn.ds.bpermute(i32, i32)
!0 = !{!"amdgpu-synchronize-as", !"local"}`;

const attributes = (features: string): string => {
  const common = `"amdgpu-flat-work-group-size"="${THREADS},${THREADS}" ${features}`;
  return `attributes #0 = { ${common} }\nattributes #1 = { noinline nounwind ${common} }`;
};

const SCOPES = ['workgroup', 'agent', ''] as const;
const inScope = (scope: string): string => (scope === '' ? '' : `syncscope("${scope}") `);

interface Callee {
  readonly name: string;
  /** All threads have to call it: it has barriers. */
  readonly hasBarriers: boolean;
}

/** A module of them: the same for the same choices. */
export function randomModule(draw: Draw, name: string, cpu: string): string {
  const callees: Callee[] = [];
  const functions: string[] = [];
  const loadsIntoLds = LOADS_INTO_LDS.includes(cpu);
  for (let index = 0; index < FUNCTIONS; index++) {
    const callee = { name: `${name}_function${index}`, hasBarriers: index > 0 };
    functions.push(new Body(draw, { loadsIntoLds, callees: [], lds: ['%lds'] }).asFunction(callee));
    callees.push(callee);
  }
  for (let index = 0; index < KERNELS; index++) {
    const called = draw.chance(0.35) ? callees : [];
    functions.push(new Body(draw, { loadsIntoLds, callees: called, lds: ['@a', '@b'] }).asKernel(`${name}_${index}`));
  }
  const memory = ['a', 'b'].map((each) => `@${each} = internal addrspace(3) global [${THREADS} x i32] poison`);
  // In "CU mode" all waves of a workgroup share a first-level cache.
  const features = draw.chance(0.25) && /^gfx1/.test(cpu) ? '"target-features"="+cumode"' : '';
  return ['target triple = "amdgcn-amd-amdhsa"', ...memory, ...functions, DECLARATIONS, attributes(features), ''].join(
    '\n',
  );
}

interface Surroundings {
  readonly loadsIntoLds: boolean;
  readonly callees: readonly Callee[];
  /** Pointers to arrays in the LDS. */
  readonly lds: readonly string[];
}

/** Four variables, in allocas, hold all values. */
const VARIABLES = 4;
const DEEPEST = 3;
const PARAMETERS = 'ptr addrspace(1) %out, ptr addrspace(1) %in, ptr addrspace(4) %constant';

class Body {
  readonly #draw: Draw;
  readonly #surroundings: Surroundings;
  readonly #lines: string[] = [];
  readonly #counters: string[] = [];
  #names = 0;
  #depth = 0;
  #statements = 0;

  constructor(draw: Draw, surroundings: Surroundings) {
    this.#draw = draw;
    this.#surroundings = surroundings;
  }

  asKernel(name: string): string {
    this.#emit('%id = call i32 @llvm.amdgcn.workitem.id.x()');
    this.#fill(8 + this.#draw.below(19), ['%id', '%n', '%m', '5'], true);
    const result = this.#define('getelementptr i32, ptr addrspace(1) %out, i32 %id');
    this.#emit(`store i32 ${this.#get()}, ptr addrspace(1) ${result}`);
    return this.#whole(`define amdgpu_kernel void @${name}(${PARAMETERS}, i32 %n, i32 %m) #0`, 'ret void');
  }

  asFunction({ name, hasBarriers }: Callee): string {
    this.#fill(2 + this.#draw.below(7), ['%id', '%n', '%x', '7'], hasBarriers);
    const parameters = `ptr addrspace(3) %lds, ${PARAMETERS}, i32 inreg %n, i32 %id, i32 %x`;
    return this.#whole(`define internal i32 @${name}(${parameters}) #1`, `ret i32 ${this.#get()}`);
  }

  #whole(head: string, end: string): string {
    const variables = Array.from({ length: VARIABLES }, (_, index) => `%v${index}`);
    const allocas = [...variables, ...this.#counters].map((each) => `  ${each} = alloca i32, addrspace(5)`);
    return [`${head} {`, 'entry:', ...allocas, ...this.#lines, `  ${end}`, '}'].join('\n');
  }

  #emit(line: string): void {
    this.#lines.push(`  ${line}`);
  }

  #name(): string {
    return `%t${this.#names++}`;
  }

  #define(operation: string): string {
    const name = this.#name();
    this.#emit(`${name} = ${operation}`);
    return name;
  }

  #get(): string {
    return this.#define(`load i32, ptr addrspace(5) %v${this.#draw.below(VARIABLES)}`);
  }

  #put(value: string): void {
    this.#emit(`store i32 ${value}, ptr addrspace(5) %v${this.#draw.below(VARIABLES)}`);
  }

  #comment(text: string): void {
    this.#emit(`call void asm sideeffect "; ${text}", "~{memory}"()`);
  }

  #fill(statements: number, values: readonly string[], isUniform: boolean): void {
    for (const [index, value] of values.entries()) this.#emit(`store i32 ${value}, ptr addrspace(5) %v${index}`);
    this.#statements = statements;
    while (this.#statements > 0) this.#statement(isUniform);
  }

  /** @param isUniform whether all threads are here, and barriers may be */
  #some(isUniform: boolean, most = 4): void {
    for (let left = 1 + this.#draw.below(most); left > 0; left--) this.#statement(isUniform);
  }

  #statement(isUniform: boolean): void {
    const draw = this.#draw;
    this.#statements--;
    const choice = draw.next();
    if (choice < 0.3 && this.#depth < DEEPEST && this.#statements > 0) {
      if (choice < 0.17) this.#loop(isUniform && draw.chance(0.85));
      else this.#branch(isUniform && draw.chance(0.7));
      return;
    }
    if (choice < 0.36) {
      const operation = draw.pick(['add', 'xor', 'mul', 'sub', 'lshr']);
      this.#put(this.#define(`${operation} i32 ${this.#get()}, ${this.#get()}`));
    } else if (choice < 0.52 && isUniform) this.#barrier();
    else if (choice < 0.58) this.#fence();
    else if (choice < 0.64 && this.#surroundings.callees.length > 0) this.#call(isUniform);
    else this.#access();
  }

  #branch(isUniform: boolean): void {
    const [then, otherwise, end] = [this.#label(), this.#label(), this.#label()];
    const hasElse = this.#draw.chance(0.4);
    this.#emit(`br i1 ${this.#condition(isUniform)}, label %${then}, label %${hasElse ? otherwise : end}`);
    this.#depth++;
    this.#block(then, () => this.#some(isUniform), end);
    if (hasElse) this.#block(otherwise, () => this.#some(isUniform), end);
    this.#lines.push(`${end}:`);
    this.#depth--;
  }

  #label(): string {
    return `b${this.#names++}`;
  }

  #block(label: string, fill: () => void, next: string): void {
    this.#lines.push(`${label}:`);
    fill();
    this.#emit(`br label %${next}`);
  }

  #condition(isUniform: boolean): string {
    const draw = this.#draw;
    if (!isUniform)
      return this.#define(`icmp slt i32 ${this.#define(`xor i32 ${this.#get()}, %id`)}, ${draw.below(99)}`);
    if (draw.chance(0.5)) return this.#define(`icmp eq i32 ${this.#define(`and i32 %n, ${1 << draw.below(6)}`)}, 0`);
    return this.#define(`icmp ugt i32 ${this.#define('load i32, ptr addrspace(4) %constant')}, ${draw.below(9)}`);
  }

  /** With a barrier at its beginning, in its middle, behind a condition, or at its end; and a second way out. */
  #loop(isUniform: boolean): void {
    const draw = this.#draw;
    const [header, end] = [this.#label(), this.#label()];
    const counter = this.#name();
    this.#counters.push(counter);
    this.#emit(`store i32 0, ptr addrspace(5) ${counter}`);
    const trips = isUniform ? '%n' : this.#define('and i32 %id, 15');
    if (draw.chance(0.3)) {
      this.#emit(`br i1 ${this.#define(`icmp ugt i32 ${trips}, 0`)}, label %${header}, label %${end}`);
    } else this.#emit(`br label %${header}`);
    this.#depth++;
    this.#lines.push(`${header}:`);
    const barrier = isUniform ? draw.pick(['first', 'middle', 'conditional', 'last', 'none']) : 'none';
    if (barrier === 'first') this.#barrier();
    this.#some(isUniform);
    if (barrier === 'middle') {
      this.#barrier();
      this.#some(isUniform);
    }
    if (barrier === 'conditional') {
      const [then, next] = [this.#label(), this.#label()];
      this.#emit(`br i1 ${this.#condition(true)}, label %${then}, label %${next}`);
      this.#block(then, () => this.#barrier(), next);
      this.#lines.push(`${next}:`);
      this.#some(isUniform, 1);
    }
    if (isUniform && draw.chance(0.15)) {
      const next = this.#label();
      this.#emit(`br i1 ${this.#condition(true)}, label %${end}, label %${next}`);
      this.#lines.push(`${next}:`);
      this.#some(isUniform, 1);
    }
    if (barrier === 'last') this.#barrier();
    const turn = this.#define(`add i32 ${this.#define(`load i32, ptr addrspace(5) ${counter}`)}, 1`);
    this.#emit(`store i32 ${turn}, ptr addrspace(5) ${counter}`);
    this.#emit(`br i1 ${this.#define(`icmp ult i32 ${turn}, ${trips}`)}, label %${header}, label %${end}`);
    this.#lines.push(`${end}:`);
    this.#depth--;
  }

  #barrier(): void {
    // Else SimplifyCFG would hoist fences of both sides in front of a branch, without their barriers. Then there are
    // ways from what is between them to a barrier without a wait, which only the values of conditions exclude.
    this.#comment(`barrier ${this.#names++}`);
    const [before, after, scope] = this.#draw.pick([
      ...Array<[string, string, string]>(7).fill(['release', 'acquire', 'workgroup']),
      ['seq_cst', 'seq_cst', 'workgroup'],
      ['release', 'acquire', 'agent'],
    ]);
    this.#emit(`fence ${inScope(scope)}${before}`);
    if (this.#draw.chance(0.1)) this.#comment(`RELEASE ${scope}`);
    this.#emit('call void @llvm.amdgcn.s.barrier()');
    this.#emit(`fence ${inScope(scope)}${after}`);
  }

  #fence(): void {
    const draw = this.#draw;
    const scope = draw.pick(['workgroup', 'workgroup', 'workgroup', 'agent', 'wavefront', '']);
    const order = draw.pick(['release', 'acq_rel', 'seq_cst', 'acquire']);
    const ldsOnly = draw.chance(0.15);
    this.#emit(`fence ${inScope(scope)}${order}${ldsOnly ? ', !mmra !0' : ''}`);
    const releases = order !== 'acquire' && scope !== 'wavefront' && !ldsOnly;
    if (releases && draw.chance(0.8)) this.#comment(`RELEASE ${scope === '' ? 'system' : scope}`);
  }

  #call(isUniform: boolean): void {
    const callees = this.#surroundings.callees.filter(({ hasBarriers }) => isUniform || !hasBarriers);
    const lds = this.#draw.pick(this.#surroundings.lds);
    const pointers = 'ptr addrspace(1) %out, ptr addrspace(1) %in, ptr addrspace(4) %constant';
    const callee = this.#draw.pick(callees).name;
    this.#put(
      this.#define(`call i32 @${callee}(ptr addrspace(3) ${lds}, ${pointers}, i32 %n, i32 %id, i32 ${this.#get()})`),
    );
  }

  // --- Memory
  // -------------------------------------------------------------------------------------------------------------

  #index(): string {
    const choice = this.#draw.below(4);
    if (choice === 0) return '%id';
    if (choice === 1) return this.#define(`xor i32 %id, ${this.#draw.pick([1, 2, 7, 32, 64])}`);
    return this.#define(`and i32 ${this.#get()}, ${THREADS - 1}`);
  }

  #ldsPointer(): string {
    const index = this.#index();
    return this.#define(`getelementptr i32, ptr addrspace(3) ${this.#draw.pick(this.#surroundings.lds)}, i32 ${index}`);
  }

  #memoryPointer(): string {
    const index = this.#index();
    return this.#define(`getelementptr i32, ptr addrspace(1) ${this.#draw.pick(['%out', '%in'])}, i32 ${index}`);
  }

  #access(): void {
    const draw = this.#draw;
    const isVolatile = draw.chance(0.08);
    const choice = draw.below(18);
    if (choice < 4) this.#store(`ptr addrspace(3) ${this.#ldsPointer()}`, isVolatile);
    else if (choice < 7) this.#load(`ptr addrspace(3) ${this.#ldsPointer()}`, isVolatile);
    else if (choice < 9) this.#store(`ptr addrspace(1) ${this.#memoryPointer()}`, isVolatile);
    else if (choice < 11) this.#load(`ptr addrspace(1) ${this.#memoryPointer()}`, isVolatile);
    else if (choice < 15) this.#atomic();
    else if (choice < 16) this.#flat();
    else if (choice < 17) {
      const lane = this.#define(`shl i32 ${this.#get()}, 2`);
      this.#put(this.#define(`call i32 @llvm.amdgcn.ds.bpermute(i32 ${lane}, i32 ${this.#get()})`));
    } else if (this.#surroundings.loadsIntoLds) {
      const to = `ptr addrspace(3) ${draw.pick(this.#surroundings.lds)}`;
      const from = `ptr addrspace(1) ${this.#memoryPointer()}`;
      this.#emit(`call void @llvm.amdgcn.global.load.lds(${from}, ${to}, i32 4, i32 0, i32 0)`);
    }
  }

  #load(from: string, isVolatile: boolean): void {
    this.#put(this.#define(`load ${isVolatile ? 'volatile ' : ''}i32, ${from}`));
    if (isVolatile && from.includes('(1)')) this.#comment('VOLATILE load');
  }

  #store(to: string, isVolatile: boolean): void {
    this.#emit(`store ${isVolatile ? 'volatile ' : ''}i32 ${this.#get()}, ${to}`);
    if (isVolatile && to.includes('(1)')) this.#comment('VOLATILE store');
  }

  #atomic(): void {
    const draw = this.#draw;
    const isLds = draw.chance(0.5);
    const pointer = isLds ? `ptr addrspace(3) ${this.#ldsPointer()}` : `ptr addrspace(1) ${this.#memoryPointer()}`;
    const scopeName = draw.pick(SCOPES);
    const scope = inScope(scopeName);
    // The LDS belongs to a workgroup.
    const released = (): void =>
      this.#comment(`RELEASED ${isLds ? 'workgroup' : scopeName === '' ? 'system' : scopeName}`);
    const choice = draw.next();
    if (choice < 0.15) {
      const order = draw.pick(['monotonic', 'acquire', 'seq_cst']);
      this.#put(this.#define(`load atomic i32, ${pointer} ${scope}${order}, align 4`));
    } else if (choice < 0.3) {
      const order = draw.pick(['monotonic', 'release', 'seq_cst']);
      this.#emit(`store atomic i32 ${this.#get()}, ${pointer} ${scope}${order}, align 4`);
      if (order !== 'monotonic') released();
    } else {
      const order = draw.pick(['monotonic', 'acquire', 'release', 'acq_rel', 'seq_cst']);
      const operation = draw.pick(['add', 'xchg', 'umax']);
      const old = this.#define(`atomicrmw ${operation} ${pointer}, i32 ${this.#get()} ${scope}${order}`);
      if (draw.chance(0.5)) this.#put(old);
      if (order !== 'monotonic' && order !== 'acquire') released();
    }
  }

  /** An access to the LDS, or to either. */
  #flat(): void {
    let pointer = this.#define(`addrspacecast ptr addrspace(3) ${this.#ldsPointer()} to ptr`);
    if (this.#draw.chance(0.5)) {
      const memory = this.#define(`addrspacecast ptr addrspace(1) ${this.#memoryPointer()} to ptr`);
      const which = this.#define(`icmp slt i32 ${this.#get()}, 7`);
      pointer = this.#define(`select i1 ${which}, ptr ${pointer}, ptr ${memory}`);
    }
    if (this.#draw.chance(0.5)) this.#load(`ptr ${pointer}`, false);
    else this.#store(`ptr ${pointer}`, false);
  }
}
