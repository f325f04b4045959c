/** A host that keeps a journal in order, and the checkpoints that the interpreter offers. */
import type { Checkpoint } from '../../interpreter/checkpoint.ts';
import type { Note, Performed, PerformRequest, Step } from '../../interpreter/host.ts';
import { TestHost, type World } from './test-host.ts';

/** A checkpoint, the length of the journal before it, and the earlier entries that open tasks may ask for. */
export interface KeptCheckpoint {
  checkpoint: Checkpoint;
  length: number;
  open: string[];
  steps: number;
}

const positionIn = (key: string): string => key.split('#')[0] ?? key;

export class CheckpointHost extends TestHost {
  readonly kept: KeptCheckpoint[] = [];
  /** Keeps at most this number of checkpoints of a run that goes on. */
  readonly #most: number;
  /** The entries of tasks under way that no task has done with. */
  readonly #open = new Set<string>();
  /** The keys that the interpretation need not come to. */
  #optional = new Set<string>();

  constructor(world: World, most = 0) {
    super(world);
    this.#most = most;
  }

  /** Goes on from a checkpoint with a journal, as another worker does. */
  goOnFrom(kept: KeptCheckpoint | null, journal: Iterable<readonly [string, Performed]>): void {
    this.checkpoint = kept && (JSON.parse(JSON.stringify(kept.checkpoint)) as Checkpoint);
    this.journal.clear();
    this.met.clear();
    this.steps = [];
    this.#open.clear();
    this.#optional = new Set(kept?.open);
    for (const [index, [key, performed]] of [...journal].entries()) {
      if (kept && index < kept.length && !this.#optional.has(key)) continue;
      this.journal.set(key, performed);
      this.#open.add(key);
      if (this.#optional.has(key)) this.met.add(key);
    }
  }

  override perform(request: PerformRequest): Promise<Performed> {
    this.#open.add(request.position.key); // with the entry, before another branch goes on
    return super.perform(request);
  }

  override note(note: Note): Promise<void> {
    this.#open.add(note.key);
    return super.note(note);
  }

  override record(step: Step): void {
    super.record(step);
    this.consume(step.position.key);
  }

  override consume(key?: string): void {
    for (const each of this.#open) {
      if (each === key || (key && each.startsWith(`${key}#`))) this.#open.delete(each);
    }
  }

  override wantsCheckpoint(when?: 'running' | 'suspended'): boolean {
    return when === 'suspended' || this.kept.length < this.#most;
  }

  override async saveCheckpoint(checkpoint: Checkpoint): Promise<void> {
    this.keep(checkpoint);
  }

  keep(checkpoint: Checkpoint): KeptCheckpoint {
    const open = [...this.#open].filter((key) => checkpoint.openKeys.includes(positionIn(key)));
    const kept = { checkpoint, length: this.journal.size, open, steps: this.steps.length };
    this.kept.push(kept);
    return kept;
  }
}
