import type { Fault } from '../plan.ts';
import type { Analysis } from './expression.ts';
import { type FaultCode, Faults } from './faults.ts';
import { offsetsOf } from './offsets.ts';
import type { Node, ScalarNode } from './tree.ts';

/** What the checks of one file share. */
export class Context {
  readonly text: string;
  readonly faults: Faults;
  /** Every task name of the file, complete only at its end. */
  readonly taskNames = new Set<string>();
  /** Every `$steps.<name>` that an expression reads, with its place. */
  readonly stepReads: { name: string; offset: () => number }[] = [];
  /** By source: the same text again (through aliases) is parsed once. */
  readonly analyses = new Map<string, Analysis>();
  taskCount = 0;
  #offsets: { node: ScalarNode; offsets: Uint32Array } | null = null;

  constructor(text: string) {
    this.text = text;
    this.faults = new Faults(text);
  }

  fault(at: Node | number, code: FaultCode, message: string): void {
    this.faults.add(typeof at === 'number' ? at : at.start, code, message);
  }

  /** Where a character of a string's value is in the file; the same string again costs nothing. */
  offsetIn(node: ScalarNode, index: number): number {
    if (this.#offsets?.node !== node) {
      this.#offsets = { node, offsets: offsetsOf(this.text, node) };
    }
    return this.#offsets.offsets[index] ?? node.start;
  }

  listFaults(): Fault[] {
    return this.faults.list();
  }
}

/** The flow variables that an expression may read where it stands, without their `$`. */
export type Scope = ReadonlySet<string>;

export function withVariables(scope: Scope, ...names: string[]): Scope {
  return new Set([...scope, ...names]);
}
