/**
 * Writes the tree of a random kernel as instructions over variables in allocas: control flow, conditions, addresses.
 */
import { lanes } from './lane-operations.js';
import type { Body, Condition, Leaf, Statement } from './random-kernel.js';

export const COUNTS = { v: 6, w: 2, h: 2, b: 2, c: 3, f: 2, q: 1, p: 2 } as const;
export const TYPES = {
  v: 'i32',
  w: 'i64',
  h: 'i16',
  b: 'i8',
  c: 'i1',
  f: 'float',
  q: '<4 x i32>',
  p: 'ptr addrspace(1)',
} as const;
export type Class = keyof typeof COUNTS;
export const CLASSES = Object.keys(COUNTS) as Class[];

export const P = {
  icmp: ['eq', 'ne', 'ugt', 'uge', 'ult', 'ule', 'sgt', 'sge', 'slt', 'sle'],
  fcmp: ['oeq', 'ogt', 'oge', 'olt', 'ole', 'one', 'ueq', 'ugt', 'uge', 'ult', 'ule', 'une'],
  plain: ['add', 'sub', 'mul', 'and', 'or', 'xor'],
  flags: ['', ' nuw', ' nsw', ' nuw nsw'],
  fast: ['', ' nnan', ' nsz', ' nnan ninf nsz', ' contract', ' reassoc nsz'],
} as const;
/** Behind a call: its attributes where LLVM has put an intrinsic in the place of an OpenCL function. */
export const OF_OPENCL = ' #3';
export const at = <T>(list: readonly T[], index: number): T => list[index % list.length]!;

/** Writes one statement without control flow. */
export type Operation = (e: Emitter, s: Leaf) => void;

export class Emitter {
  readonly lines: string[] = [];
  #next = 0;
  /** Labels for leaving a body: [behind it, its next iteration or null]. */
  #scopes: (readonly [string, string | null])[] = [];
  /** Variables that single statements need. */
  readonly allocas: string[] = [];

  constructor(
    private readonly operations: readonly Operation[],
    /** Number of work-items in a workgroup. */
    readonly threads: number,
  ) {}

  emit(text: string): void {
    this.lines.push(`  ${text}`);
  }
  /** Emits `%tN = text`. */
  value(text: string): string {
    const name = `%t${this.#next++}`;
    this.emit(`${name} = ${text}`);
    return name;
  }
  label(): string {
    return `bb${this.#next++}`;
  }
  /** A new variable for this statement, without an initial value. */
  variable(type: string): string {
    const name = `%own${this.allocas.length}`;
    this.allocas.push(`  ${name} = alloca ${type}, addrspace(5)`);
    return name;
  }
  block(label: string): void {
    this.lines.push(`${label}:`);
  }
  read(of: Class, index: number): string {
    return this.value(`load ${TYPES[of]}, ptr addrspace(5) %${of}${index % COUNTS[of]}`);
  }
  write(of: Class, index: number, value: string): void {
    this.emit(`store ${TYPES[of]} ${value}, ptr addrspace(5) %${of}${index % COUNTS[of]}`);
  }
  v = (index: number): string => this.read('v', index);
  masked(index: number, mask: number): string {
    return this.value(`and i32 ${this.v(index)}, ${mask}`);
  }

  condition(c: Condition): string {
    switch (c.of % 8) {
      case 0: // bits of the thread id
        return this.#bits('%tid', (c.k & 31) | 1, at(P.icmp, c.a), c.b);
      case 1:
        return this.value(`icmp ${at(P.icmp, 2 + (c.a % 4))} i32 %tid, ${c.k & 63}`);
      case 2:
      case 3:
        return this.value(`icmp ${at(P.icmp, c.b)} i32 ${this.masked(c.a, 15)}, ${c.k & 15}`);
      case 4:
        return this.value(`icmp ${at(P.icmp, c.k)} i32 ${this.v(c.a)}, ${this.v(c.b)}`);
      case 5:
        return this.read('c', c.a);
      case 6:
        return this.value(`icmp ${at(P.icmp, c.a)} i32 %uniform, ${c.k & 7}`);
      default: // what the thread finds in memory
        return this.#bits('%seen', (c.k & 63) | 1, at(P.icmp, c.b), c.a);
    }
  }

  /** Compares some bits with a value that they may have. */
  #bits(of: string, mask: number, predicate: string, number: number): string {
    return this.value(`icmp ${predicate} i32 ${this.value(`and i32 ${of}, ${mask}`)}, ${mask & (number | 1)}`);
  }

  body(body: Body): void {
    for (const s of body) this.statement(s);
  }

  #branch(when: string, then: string, otherwise: string): void {
    this.emit(`br i1 ${when}, label %${then}, label %${otherwise}`);
  }
  jump(to: string): void {
    this.emit(`br label %${to}`);
  }
  #arm(label: string, body: Body, to: string): void {
    this.block(label);
    this.body(body);
    this.jump(to);
  }

  statement(s: Statement): void {
    switch (s.kind) {
      case 'op':
        return at(this.operations, s.op)(this, s);
      case 'barrier':
        this.emit('fence syncscope("workgroup") release');
        this.emit('call void @llvm.amdgcn.s.barrier()');
        return this.emit('fence syncscope("workgroup") acquire');
      case 'if': {
        const [then, otherwise, end] = [this.label(), this.label(), this.label()];
        this.#branch(this.condition(s.when), then, otherwise);
        this.#arm(then, s.then, end);
        this.#arm(otherwise, s.else, end);
        return this.block(end);
      }
      case 'either': {
        const [second, then, otherwise, end] = [this.label(), this.label(), this.label(), this.label()];
        const first = this.condition(s.when);
        if (s.and) this.#branch(first, second, otherwise);
        else this.#branch(first, then, second);
        this.block(second);
        this.body(s.between);
        this.#branch(this.condition(s.also), then, otherwise);
        this.#arm(then, s.then, end);
        this.#arm(otherwise, s.else, end);
        return this.block(end);
      }
      case 'shared': {
        const [t, f, then, otherwise, end] = [this.label(), this.label(), this.label(), this.label(), this.label()];
        this.#branch(this.condition(s.when), t, f);
        this.block(t);
        this.body(s.t);
        this.#branch(this.condition(s.whenT), then, otherwise);
        this.block(f);
        this.body(s.f);
        if (s.swap) this.#branch(this.condition(s.whenF), otherwise, then);
        else this.#branch(this.condition(s.whenF), then, otherwise);
        this.#arm(then, s.then, end);
        this.#arm(otherwise, s.else, end);
        return this.block(end);
      }
      case 'carry': {
        const [then, otherwise, joined, again, end] = Array.from({ length: 5 }, () => this.label()) as [string, string, string, string, string]; // prettier-ignore
        const [kept, carried] = [this.variable('i1'), this.variable('i32')];
        const when = this.condition(s.when);
        this.emit(`store i1 ${when}, ptr addrspace(5) ${kept}`);
        this.#branch(when, then, otherwise);
        this.block(then);
        this.body(s.then);
        this.emit(`store i32 ${this.v(s.a)}, ptr addrspace(5) ${carried}`);
        this.jump(joined);
        this.#arm(otherwise, s.else, joined);
        this.block(joined);
        this.body(s.between);
        this.#branch(this.value(`load i1, ptr addrspace(5) ${kept}`), again, end);
        this.block(again);
        const value = this.value(`load i32, ptr addrspace(5) ${carried}`);
        this.write('v', s.d, this.value(`xor i32 ${this.v(s.d)}, ${value}`));
        this.jump(end);
        return this.block(end);
      }
      case 'switch': {
        const labels = s.cases.map(() => this.label());
        const end = this.label();
        const on = this.masked(s.on, 7);
        const arms = labels.slice(1).map((label, index) => `i32 ${index * 2}, label %${label}`);
        this.emit(`switch i32 ${on}, label %${labels[0]} [ ${arms.join(' ')} ]`);
        for (const [index, body] of s.cases.entries())
          this.#arm(labels[index]!, body, (s.through >> index) & 1 ? (labels[index + 1] ?? end) : end);
        return this.block(end);
      }
      case 'block': {
        const end = this.label();
        this.#scopes.push([end, null]);
        this.body(s.body);
        this.#scopes.pop();
        this.jump(end);
        return this.block(end);
      }
      case 'phase': {
        const outer = this.#scopes;
        this.#scopes = [];
        this.statement({ kind: 'block', body: s.body });
        this.#scopes = outer;
        return;
      }
      case 'lanes':
        return lanes(this, s.leaf);
      case 'leave': {
        const scope = this.#scopes[this.#scopes.length - 1 - (s.depth % Math.max(1, this.#scopes.length))];
        const on = this.label();
        this.#branch(this.condition(s.when), (s.again ? scope?.[1] : null) ?? scope?.[0] ?? 'done', on);
        return this.block(on);
      }
      case 'loop': {
        const counter = this.variable('i32');
        const trips = this.#trips(s.trips);
        const [head, body, latch, end] = [this.label(), this.label(), this.label(), this.label()];
        const count = (): string => this.value(`load i32, ptr addrspace(5) ${counter}`);
        this.emit(`store i32 0, ptr addrspace(5) ${counter}`);
        this.jump(s.tail ? body : head);
        if (!s.tail) {
          this.block(head);
          this.#branch(this.value(`icmp ult i32 ${count()}, ${trips}`), body, end);
        }
        this.block(body);
        this.write('v', s.d, this.value(`add i32 ${this.v(s.d)}, ${count()}`));
        this.#scopes.push([end, latch]);
        this.body(s.body);
        this.#scopes.pop();
        this.jump(latch);
        this.block(latch);
        const next = this.value(`add i32 ${count()}, 1`);
        this.emit(`store i32 ${next}, ptr addrspace(5) ${counter}`);
        if (s.tail) this.#branch(this.value(`icmp ult i32 ${next}, ${trips}`), body, end);
        else this.jump(head);
        return this.block(end);
      }
      case 'retry': {
        const counter = this.variable('i32');
        const flags = s.stages.map(() => this.variable('i1'));
        const flag = (stage: number): string => this.value(`load i1, ptr addrspace(5) ${flags[stage]!}`);
        const add = (d: number, what: string): void => this.write('v', d, this.value(`add i32 ${this.v(d)}, ${what}`));
        const trips = this.value(`add i32 ${this.#trips(s.trips)}, ${s.stages.length}`);
        const head = this.label();
        this.emit(`store i32 0, ptr addrspace(5) ${counter}`);
        this.jump(head);
        this.block(head);
        const count = this.value(`load i32, ptr addrspace(5) ${counter}`);
        const more = this.value(`icmp ult i32 ${count}, ${trips}`);
        for (const [stage, { when, d }] of s.stages.entries()) {
          const bits = this.condition(when);
          // Another stage each time, so that a thread takes different back edges.
          const turn = this.value(`icmp eq i32 ${this.value(`urem i32 ${count}, ${stage + 2}`)}, ${stage}`);
          const again = this.value(`and i1 ${this.value(`xor i1 ${bits}, ${turn}`)}, ${more}`);
          this.emit(`store i1 ${again}, ptr addrspace(5) ${flags[stage]!}`);
          // A use, so that LLVM does not move the condition to the branch.
          if (d & 1) add(d, this.value(`zext i1 ${again} to i32`));
        }
        for (const [stage, { body, d }] of s.stages.entries()) {
          const [back, next] = [this.label(), this.label()];
          this.body(body);
          // Some back edges are for all threads or none, and never taken; then the condition is used here.
          const isUniform = (d & 12) === 12;
          if (isUniform) add(d, this.value(`select i1 ${flag(stage)}, i32 ${d}, i32 1`));
          this.#branch(isUniform ? this.value('icmp ugt i32 %uniform, 99') : flag(stage), back, next);
          this.block(back);
          // All variables change: of a phi that keeps its value on one back edge LLVM makes a separate loop.
          for (let k = 0; k < COUNTS.v; k++) add(k, String((d + stage + k) | 1));
          this.emit(`store i32 ${this.value(`add i32 ${count}, 1`)}, ptr addrspace(5) ${counter}`);
          this.jump(head);
          this.block(next);
        }
        // Uses behind all loops.
        for (const [stage, { d }] of s.stages.entries()) if (d & 2) add(d, this.value(`zext i1 ${flag(stage)} to i32`));
        return;
      }
      case 'goto': {
        const counter = this.variable('i32');
        const labels = s.blocks.map(() => this.label());
        const end = this.label();
        const trips = this.value(`add i32 ${this.#trips(s.trips)}, ${labels.length}`);
        this.emit(`store i32 0, ptr addrspace(5) ${counter}`);
        this.#branch(this.condition(s.when), labels[0]!, labels[1]!);
        for (const [index, { body, when, to, on }] of s.blocks.entries()) {
          this.block(labels[index]!);
          this.body(body);
          const count = this.value(`add i32 ${this.value(`load i32, ptr addrspace(5) ${counter}`)}, 1`);
          this.emit(`store i32 ${count}, ptr addrspace(5) ${counter}`);
          const more = this.value(`icmp ult i32 ${count}, ${trips}`);
          const jumps = this.value(`and i1 ${this.condition(when)}, ${more}`);
          this.#branch(jumps, at(labels, to), labels[index + 1 + on] ?? end);
        }
        return this.block(end);
      }
    }
  }

  #trips(c: Condition): string {
    if (c.of % 8 === 6) return this.value('and i32 %uniform, 3');
    if (c.of % 4 === 1) return String(c.k % 5);
    return this.masked(c.a, 3);
  }

  /** An address of `bytes` bytes in the thread's cells. */
  cell(s: Leaf, index: number, bytes: number): string {
    const element = bytes === 8 ? 'i64' : bytes === 4 ? 'i32' : bytes === 2 ? 'i16' : 'i8';
    const slot = this.value(`zext i32 ${this.masked(index, 128 / bytes - 1)} to i64`);
    if (s.k & 64) return this.value(`getelementptr ${element}, ptr addrspace(1) %own, i64 ${slot}`);
    if (s.k & 128) return this.value(`getelementptr inbounds nuw ${element}, ptr addrspace(1) %own, i64 ${slot}`);
    return this.value(
      `getelementptr inbounds [${128 / bytes} x ${element}], ptr addrspace(1) %own, i64 0, i64 ${slot}`,
    );
  }
  local(s: Leaf): string {
    const row = this.masked(s.a, 3);
    const array = `@${s.k & 1 ? 'left' : 'right'}`;
    if (s.k & 2) {
      const flat = this.value(`add i32 ${this.value(`mul i32 ${row}, ${this.threads}`)}, %tid`);
      return this.value(`getelementptr inbounds i32, ptr addrspace(3) ${array}, i32 ${flat}`);
    }
    return this.value(
      `getelementptr inbounds [4 x [${this.threads} x i32]], ptr addrspace(3) ${array}, i32 0, i32 ${s.k & 4 ? s.c & 3 : row}, i32 %tid`,
    );
  }
  private(s: Leaf): string {
    return this.value(
      `getelementptr inbounds [8 x i32], ptr addrspace(5) %array${s.k & 1}, i32 0, i32 ${this.masked(s.a, 7)}`,
    );
  }
  small(index: number, mask = 255): string {
    return this.value(`sitofp i32 ${this.masked(index, mask)} to float`);
  }
  clamped(value: string): string {
    const low = this.value(`call float @llvm.maxnum.f32(float ${value}, float -1000.0)${OF_OPENCL}`);
    return this.value(`call float @llvm.minnum.f32(float ${low}, float 1000.0)`);
  }
}
