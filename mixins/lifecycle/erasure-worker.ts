import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Model } from 'mongoose';
import type { ErasureDocument, ErasureKind } from '../../models/erasure.model.ts';
import { isDatabaseAway } from '../../support/database-outage.ts';
import { WorkLoop } from '../../support/work-loop.ts';
import type { DocumentId } from './erasure-batches.ts';
import { type ErasureStep, Unfinished } from './erasure-steps.ts';

/**
 * Milliseconds from the request to each pass. The first pass removes what is stored; the others remove what requests
 * wrote that were in flight, the last of them 60 s later.
 */
const PASSES_MS: Readonly<Record<ErasureKind, readonly number[]>> = {
  workspace: [0, 2_000, 15_000, 60_000],
  person: [0, 60_000],
};
/** Milliseconds for which a process may work without saving its position. Then another process takes the erasure over. */
const LEASE_MS = 10_000;
/** Milliseconds of work on one erasure. Then the next erasure has its turn. */
const TURN_MS = 1_000;
/** Milliseconds until unfinished work is continued. */
const UNFINISHED_MS = 500;
/** Milliseconds until the repeat of failed work. The repeat after each further failure takes twice as long. */
const FIRST_RETRY_MS = 2_000;
/** The most milliseconds until the repeat of failed work; further repeats take as long. */
const MAX_RETRY_MS = 600_000;
/** Milliseconds that a stop waits for the batch in flight. */
const STOP_MS = 1_000;

interface Position {
  step: string | null;
  after: DocumentId | null;
}

/** What an erasure needs next: its position, or another time at which it is due; null when it is complete. */
type Next = Partial<Pick<ErasureDocument, 'pass' | 'failures'>> & Position & { dueAt: Date };

export interface WorkerOptions {
  erasures: Model<ErasureDocument>;
  steps: Readonly<Record<ErasureKind, readonly ErasureStep[]>>;
  onError: (error: unknown) => void;
}

/**
 * Carries erasures out, a batch at a time and with a pause after each, so that other work does not wait. After a crash
 * another process, or the next start, goes on at the saved position. A batch that is repeated has no further effect.
 */
export class ErasureWorker {
  readonly #options: WorkerOptions;
  readonly #loop: WorkLoop;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#loop = new WorkLoop(() => this.#workWhileDue(), options.onError);
  }

  /** Looks for due erasures at once. A look in flight is followed by another. */
  wake = (): void => this.#loop.wake();

  async stop(): Promise<void> {
    await Promise.race([this.#loop.stop(), sleep(STOP_MS, undefined, { ref: false })]);
  }

  async #workWhileDue(): Promise<void> {
    while (!this.#loop.isStopped) {
      const erasure = await this.#claim();
      if (!erasure) return;
      await this.#save(erasure, await this.#takeTurn(erasure));
    }
  }

  #claim(): Promise<ErasureDocument | null> {
    const now = Date.now();
    return this.#options.erasures
      .findOneAndUpdate(
        { dueAt: { $lte: new Date(now) } },
        { $set: { lease: randomUUID(), dueAt: new Date(now + LEASE_MS) } },
        { sort: { dueAt: 1 }, returnDocument: 'after' },
      )
      .lean<ErasureDocument>()
      .exec();
  }

  /** Works on the erasure for a turn. Answers what the erasure needs next. */
  async #takeTurn(erasure: ErasureDocument): Promise<Next | null> {
    const position: Position = { step: erasure.step, after: erasure.after };
    try {
      const ended = await this.#takeBatches(erasure, position);
      return ended ? nextPass(erasure) : { ...position, failures: 0, dueAt: new Date() };
    } catch (error) {
      if (error instanceof Unfinished) return { ...position, dueAt: later(UNFINISHED_MS) };
      if (isDatabaseAway(error)) throw error;
      this.#options.onError(error);
      const failures = erasure.failures + 1;
      const delayMs = Math.min(FIRST_RETRY_MS * 2 ** erasure.failures, MAX_RETRY_MS);
      return { ...position, failures, dueAt: later(delayMs) };
    }
  }

  /** Takes batches until the pass or the turn has ended. True at the end of the pass. */
  async #takeBatches(erasure: ErasureDocument, position: Position): Promise<boolean> {
    const steps = this.#options.steps[erasure.kind];
    const target = { ...erasure, isLastPass: erasure.pass === lastPassOf(erasure) };
    const turnEnd = performance.now() + TURN_MS;
    let at = Math.max(
      0,
      steps.findIndex(({ name }) => name === position.step),
    );
    for (; ; await sleep(0)) {
      const step = steps[at];
      if (!step) return true;
      position.step = step.name;
      if (performance.now() > turnEnd || this.#loop.isStopped) return false;
      const began = performance.now();
      const left = await step.take(target, position.after);
      position.after = left?.after ?? null;
      if (left) await sleep(performance.now() - began);
      else at++;
    }
  }

  /** Saves what the erasure needs next, unless another process has taken the erasure over. */
  async #save({ _id, lease }: ErasureDocument, next: Next | null): Promise<void> {
    const { erasures } = this.#options;
    if (!next) {
      await erasures.deleteOne({ _id, lease });
      return;
    }
    await erasures.updateOne({ _id, lease }, { $set: { ...next, lease: null } });
    const waitMs = next.dueAt.getTime() - Date.now();
    if (waitMs > 0) setTimeout(this.wake, waitMs + 1).unref();
  }
}

const later = (ms: number): Date => new Date(Date.now() + ms);

const lastPassOf = ({ kind }: ErasureDocument): number => PASSES_MS[kind].length - 1;

/** The next pass of an erasure; null after the last one. */
function nextPass({ kind, pass, requestedAt }: ErasureDocument): Next | null {
  const delayMs = PASSES_MS[kind][pass + 1];
  if (delayMs === undefined) return null;
  const dueAt = new Date(requestedAt.getTime() + delayMs);
  return { pass: pass + 1, step: null, after: null, failures: 0, dueAt };
}
