import type { Caller } from '../../mixins/caller.ts';
import { chargedTo, isOverShare } from '../../mixins/cpu-shares.ts';
import { FairQueue } from '../../mixins/fair-queue.ts';
import { fileSandbox } from '../../mixins/sandbox.ts';
import type { Share } from '../../mixins/share.ts';
import type { ShareOwners } from '../../mixins/share-owners.ts';
import type { Fault } from './contract/resources.ts';
import { invalidFile, tooManyFiles } from './flows.problems.ts';

/** Checks at once; more would only wait for a child. */
const CONCURRENCY = 2;
/** Checks of one owner at once: one child is left for everybody else. */
const PER_OWNER = 1;
/** Files that wait for a check in one workspace, or of one caller; more are refused. */
const MAX_QUEUED_PER_TENANT = 20;
/** Files of one owner that wait; more are refused. */
const MAX_QUEUED_PER_OWNER = 60;
/** Files that wait in all; beyond it those are refused of whom most wait. */
const MAX_QUEUED = 1_000;
/** Milliseconds that a file waits before it is refused, less than the action may take. */
const QUEUE_TIMEOUT_MS = 20_000;

/** Checks flow files, each in its owner's turn. */
export class FileChecks {
  readonly #owners: ShareOwners;
  readonly #queue = new FairQueue({
    concurrency: CONCURRENCY,
    perOwner: () => PER_OWNER,
    maxQueued: MAX_QUEUED,
    maxQueuedPerOwner: MAX_QUEUED_PER_OWNER,
    maxQueuedPerTenant: MAX_QUEUED_PER_TENANT,
    queueTimeoutMs: QUEUE_TIMEOUT_MS,
    isOverShare,
    refusal: tooManyFiles,
  });

  constructor(owners: ShareOwners) {
    this.#owners = owners;
  }

  /** All that keeps a caller's text from being a flow file; empty when it is one. */
  async faultsFor(caller: Caller, content: string): Promise<Fault[]> {
    return this.#faultsOf(content, await this.#owners.ofCaller(caller));
  }

  /** Refuses a text that is no flow file for a workspace, naming each fault and its place. */
  async assertCompiles(workspaceId: number, content: string): Promise<void> {
    const faults = await this.#faultsOf(content, await this.#owners.ofWorkspace(workspaceId));
    if (faults.length === 0) return;
    throw invalidFile(faults.map((fault) => ({ in: 'body', path: 'content', ...fault })));
  }

  async #faultsOf(content: string, share: Share): Promise<Fault[]> {
    const check = () => fileSandbox().compile(content, chargedTo(share));
    return [...(await this.#queue.run(share, check)).faults];
  }
}
