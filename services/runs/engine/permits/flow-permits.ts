import type { RunDocument } from '../../../../models/run.model.ts';
import { grantPermits } from './grant-permits.ts';
import { handOverPermit } from './hand-over.ts';
import { PermitSweep } from './permit-sweep.ts';

export interface FlowPermitsOptions {
  /** Called when runs have got a permit and are ready. */
  onGranted: () => void;
  onError: (error: unknown) => void;
}

/**
 * Offers the permits of flows to the runs that wait for one (`metadata.concurrency`). A flow has at most one pass under
 * way in this process. The sweep repeats an offer that fails.
 */
export class FlowPermits {
  readonly #options: FlowPermitsOptions;
  /** The flows with a pass under way, and whether their permits were offered since that pass began. */
  readonly #passes = new Map<number, { isWanted: boolean }>();
  readonly #pending = new Set<Promise<void>>();
  readonly #sweep = new PermitSweep((flowId) => this.#grant(flowId));

  constructor(options: FlowPermitsOptions) {
    this.#options = options;
  }

  /** Offers the permits of the flow of a run that asks for one. */
  request({ flowId, concurrency }: Pick<RunDocument, 'flowId' | 'concurrency'>): void {
    if (flowId !== undefined && concurrency !== undefined) this.#offer(flowId);
  }

  /** Hands over the permit of a run that has ended or waits. The unique index keeps a permit that the run still holds. */
  release({
    flowId,
    concurrency,
    permit,
  }: Pick<RunDocument, 'flowId' | 'concurrency' | 'permit'>): void {
    if (flowId === undefined || concurrency === undefined || permit === undefined) return;
    this.#track(async () => {
      const outcome = await handOverPermit({ flowId, concurrency, permit });
      if (outcome === 'granted') this.#options.onGranted();
      else if (outcome === 'unclear') this.#offer(flowId);
    });
  }

  /** Offers the permits of flows in which runs wait: the offer that belongs to a free permit may be lost. */
  sweep(): Promise<void> {
    return this.#sweep.sweep();
  }

  /** Waits for the offers under way. */
  async waitForOffers(): Promise<void> {
    while (this.#pending.size) await Promise.all(this.#pending);
  }

  #offer(flowId: number): void {
    const current = this.#passes.get(flowId);
    if (current) {
      current.isWanted = true;
      return;
    }
    const pass = { isWanted: true };
    this.#passes.set(flowId, pass);
    this.#track(async () => {
      try {
        while (pass.isWanted) {
          pass.isWanted = false;
          await this.#grant(flowId);
        }
      } finally {
        this.#passes.delete(flowId); // in the same turn as the last look at `isWanted`
      }
    });
  }

  #track(work: () => Promise<void>): void {
    const done = work()
      .catch(this.#options.onError)
      .finally(() => this.#pending.delete(done));
    this.#pending.add(done);
  }

  async #grant(flowId: number): Promise<void> {
    if (await grantPermits(flowId)) this.#options.onGranted();
  }
}
