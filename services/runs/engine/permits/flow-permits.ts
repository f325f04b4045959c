import type { RunDocument } from '../../../../models/run.model.ts';
import { grantPermits } from './grant-permits.ts';
import { PermitSweep } from './permit-sweep.ts';

export interface FlowPermitsOptions {
  /** Called when runs have got a permit and are ready. */
  onGranted: () => void;
  onError: (error: unknown) => void;
}

interface Pass {
  isWanted: boolean;
  ended: Promise<void>;
}

/**
 * Offers the permits of flows to the runs that wait for one (`metadata.concurrency`). A flow has at most one pass under
 * way in this process.
 */
export class FlowPermits {
  readonly #options: FlowPermitsOptions;
  /** The flows with a pass under way, and whether their permits were offered since that pass began. */
  readonly #passes = new Map<number, Pass>();
  readonly #sweep = new PermitSweep((flowId) => this.#grant(flowId));

  constructor(options: FlowPermitsOptions) {
    this.#options = options;
  }

  /** Offers the permits of a run's flow, because the run has given its permit up or asks for one. */
  offerOf({ flowId, concurrency }: Pick<RunDocument, 'flowId' | 'concurrency'>): void {
    if (flowId !== undefined && concurrency !== undefined) this.offer(flowId);
  }

  /** Offers the free permits of a flow. The sweep repeats an offer that fails. */
  offer(flowId: number): void {
    const pass = this.#passes.get(flowId);
    if (pass) {
      pass.isWanted = true;
      return;
    }
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const first = { isWanted: true, ended };
    this.#passes.set(flowId, first);
    void this.#execute(flowId, first).then(resolve);
  }

  /** Waits for the passes under way. */
  async waitForPasses(): Promise<void> {
    await Promise.all([...this.#passes.values()].map(({ ended }) => ended));
  }

  /** Offers the permits of flows in which runs wait: the offer that belongs to a free permit may be lost. */
  sweep(): Promise<void> {
    return this.#sweep.sweep();
  }

  async #execute(flowId: number, pass: Pass): Promise<void> {
    try {
      while (pass.isWanted) {
        pass.isWanted = false;
        await this.#grant(flowId);
      }
    } catch (error) {
      this.#options.onError(error);
    } finally {
      this.#passes.delete(flowId); // in the same turn as the last look at `isWanted`
    }
  }

  async #grant(flowId: number): Promise<void> {
    if (await grantPermits(flowId)) this.#options.onGranted();
  }
}
