import type { Caller } from '../../contract/caller.ts';
import type { ShareOwners } from '../../mixins/share-owners.ts';
import { checkInTurn } from '../../support/fair-shares/check-in-turn.ts';
import { chargedTo } from '../../support/fair-shares/cpu-shares.ts';
import type { QueueLimits } from '../../support/fair-shares/queue-limits.ts';
import type { Share } from '../../support/fair-shares/share.ts';
import type { Fault } from './contract/resources.ts';
import { invalidFile, tooManyFiles } from './flows.problems.ts';

/** Files that wait for a check in one workspace, or of one caller; more are refused. */
const MAX_QUEUED_PER_TENANT = 20;
/** Files of one owner that wait; more are refused. */
const MAX_QUEUED_PER_OWNER = 60;
/** Files that wait in all; beyond it those are refused of whom most wait. */
const MAX_QUEUED = 1_000;
/** Milliseconds that a file waits before it is refused, less than the action may take. */
const QUEUE_TIMEOUT_MS = 20_000;

const FILES: QueueLimits = {
  maxQueued: MAX_QUEUED,
  maxQueuedPerOwner: MAX_QUEUED_PER_OWNER,
  maxQueuedPerTenant: MAX_QUEUED_PER_TENANT,
  queueTimeoutMs: QUEUE_TIMEOUT_MS,
  refusal: tooManyFiles,
};

/** Checks flow files, each in its owner's turn. */
export class FileChecks {
  readonly #owners: ShareOwners;

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
    const { faults } = await checkInTurn(share, FILES, (files) =>
      files.compile(content, chargedTo(share)),
    );
    return [...faults];
  }
}
