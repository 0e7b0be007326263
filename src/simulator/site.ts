/**
 * One static instruction while its step is made, as operations see it: sources and destinations are plain rows, and
 * everything that modifies an operand on its way (neg, abs, SDWA and op_sel selects, DPP, clamp, omod) is a step before
 * or after the operation. Those steps are in modifiers.ts and dpp.ts.
 */
import { dppStep } from './dpp.js';
import { Fault } from './fault.js';
import { destinationSteps, sourceStep, type SourceModifiers } from './modifiers.js';
import { wordsOf, type Destination, type Source, type ValueType } from './operands.js';
import { PlainSite } from './plain-site.js';
import type { Step } from './wave.js';

export class Site extends PlainSite {
  /** The operation with everything that was registered around it, on the lanes that it writes. */
  step(operation: Step): Step {
    const all = this.withSteps(operation);
    const filter = dppStep(this);
    return filter === null ? all : filter(all);
  }

  /** A source of a vector operation, with its modifiers applied in a scratch row when it has any. */
  source(name: string, type: ValueType): Source {
    const operand = this.instruction.operand(name);
    const plain = this.place(operand, wordsOf(type));
    const modifiers: SourceModifiers = { name, type, operand };
    return sourceStep(this, plain, modifiers);
  }

  /** The place of a vector result, with clamp, omod and selects applied from a scratch row when there are any. */
  destination(name: string, type: ValueType): Destination {
    const operand = this.instruction.operand(name);
    const { lo, hi, stride } = this.place(operand, wordsOf(type));
    if (stride === 0) throw new Fault(`${this.instruction.opcode.name}: ${name} is no vector register`);
    return destinationSteps(this, { lo, hi }, type, operand);
  }
}
