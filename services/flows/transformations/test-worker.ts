import { SandboxUnavailable } from '@workspace-automation/flow-language';
import { isProblem } from '../../../contract/problem.ts';
import { noteActivity } from '../../../support/activity.ts';
import { isDatabaseAway } from '../../../support/database-outage.ts';
import type { ShareOwner } from '../../../support/fair-shares/share.ts';
import { WorkLoop } from '../../../support/work-loop.ts';
import type { ShareOwners } from '../../share-owners/share-owners.ts';
import { TooManyExpressions } from '../flows.problems.ts';
import { type DueTest, delayDueTest, endDueTest, leaseDueTest } from './due-tests.ts';
import { runTest } from './run-test.ts';

/** Due tests that a process runs at once, each of another owner. Further tests wait. */
const CONCURRENCY = 4;

/** Runs the tests that stored versions have made due, each at least once. Owners take turns. */
export class TestWorker {
  readonly #owners: Pick<ShareOwners, 'ofWorkspace'>;
  readonly #onError: (error: unknown) => void;
  readonly #loop: WorkLoop;
  readonly #busy = new Set<ShareOwner>();
  /** The owner of the last test. The next owner of the index has the next turn. */
  #lastOwner: ShareOwner = '';

  constructor(owners: Pick<ShareOwners, 'ofWorkspace'>, onError: (error: unknown) => void) {
    this.#owners = owners;
    this.#onError = onError;
    this.#loop = new WorkLoop(() => this.#startDue(), onError);
  }

  /** Looks for due tests at once. */
  readonly wake = (): void => this.#loop.wake();

  /** Begins no further test. The lease of a test in flight ends, and another process runs the test. */
  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #startDue(): Promise<void> {
    while (this.#busy.size < CONCURRENCY && !this.#loop.isStopped) {
      const busy = [...this.#busy];
      const test = (await leaseDueTest(busy, this.#lastOwner)) ?? (await leaseDueTest(busy));
      if (!test) return;
      noteActivity(); // a delayed test is looked for at the usual pace
      const { owner } = test.due;
      this.#lastOwner = owner;
      this.#busy.add(owner);
      this.#run(test)
        .catch((error: unknown) => this.#report(error))
        .finally(() => {
          this.#busy.delete(owner);
          this.wake();
        });
    }
  }

  async #run(test: DueTest): Promise<void> {
    const { versionId, sequence } = test.due;
    try {
      const share = await this.#owners.ofWorkspace(test.workspaceId);
      await runTest(test, { versionId, sequence }, share);
    } catch (error) {
      if (!isDelay(error)) throw error;
      return delayDueTest(test);
    }
    await endDueTest(test);
  }

  #report(error: unknown): void {
    if (!isDatabaseAway(error) && !this.#loop.isStopped) this.#onError(error);
  }
}

/** Whether the test can be run later: the queue is full, or the sandbox cannot start a child now. */
const isDelay = (error: unknown): boolean =>
  isProblem(error, TooManyExpressions) || error instanceof SandboxUnavailable;
