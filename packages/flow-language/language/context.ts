import type { Fault, Warning } from '../plan.ts';
import type { AnalysisCache } from './analysis-cache.ts';
import type { Analysis } from './expression.ts';
import { type FaultCode, Faults, type Message } from './faults.ts';
import { offsetsOf } from './offsets.ts';
import type { Node, ScalarNode } from './tree.ts';
import { type WarningCode, Warnings } from './warnings.ts';

/** The state that all checks of one file share. */
export class Context {
  readonly text: string;
  readonly faults: Faults;
  readonly #warnings = new Warnings();
  /** The names of all tasks read so far; complete when the whole file is read. */
  readonly taskNames = new Set<string>();
  /** Every `$steps.<name>` that an expression reads, with its offset in the file. */
  readonly stepReads: { name: string; offset: () => number }[] = [];
  /** Every `steps.<name>` without `$`. */
  readonly bareStepReads: { name: string; offset: () => number }[] = [];
  /** The analyses of expressions by source, so that an expression repeated by aliases is parsed once. */
  readonly #analyses = new Map<string, Analysis>();
  readonly #known: AnalysisCache | undefined;
  taskCount = 0;
  #offsets: { node: ScalarNode; offsets: Uint32Array } | null = null;

  constructor(text: string, known?: AnalysisCache) {
    this.text = text;
    this.#known = known;
    this.faults = new Faults(text);
  }

  fault(at: Node | number, code: FaultCode, message: Message): void {
    this.faults.add(typeof at === 'number' ? at : at.start, code, message);
  }

  /** Warns of a range of the file. */
  warn(
    start: number,
    end: number,
    code: Exclude<WarningCode, 'TOO_MANY_WARNINGS'>,
    message: string,
  ): void {
    this.#warnings.add(start, end, code, message);
  }

  /** The analysis of an expression, made unless this file or an earlier one has the same expression. */
  analysisOf(source: string, analyse: (source: string) => Analysis): Analysis {
    const analysis =
      this.#analyses.get(source) ?? this.#known?.get(source, analyse) ?? analyse(source);
    this.#analyses.set(source, analysis);
    return analysis;
  }

  /** Returns the offset in the file of a character of a string's value. The offsets of the latest string are cached. */
  offsetIn(node: ScalarNode, index: number): number {
    if (this.#offsets?.node !== node) {
      this.#offsets = { node, offsets: offsetsOf(this.text, node) };
    }
    return this.#offsets.offsets[index] ?? node.start;
  }

  listFaults(root: Node | null): Fault[] {
    return this.faults.list(root);
  }

  listWarnings(): Warning[] {
    return this.#warnings.list(this.text);
  }
}

/** The names, without `$`, of the flow variables that an expression may read at its place. */
export type Scope = ReadonlySet<string>;

export function withVariables(scope: Scope, ...names: string[]): Scope {
  return new Set([...scope, ...names]);
}
