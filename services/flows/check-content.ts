import type { Caller } from '../../contract/caller.ts';
import { jobContextOf } from '../../support/fair-shares/cpu-shares.ts';
import { queueFileCheck } from '../../support/fair-shares/file-check-queue.ts';
import type { QueueLimits } from '../../support/fair-shares/queue-limits.ts';
import type { Share } from '../../support/fair-shares/share.ts';
import type { ShareOwners } from '../share-owners/share-owners.ts';
import type { Fault } from './contract/resources.ts';
import { invalidFile, tooManyFiles } from './flows.problems.ts';

/** Files of one workspace, or of one caller outside a workspace, that wait for a check. Further files are refused. */
const MAX_QUEUED_PER_TENANT = 20;
/** Files of one owner that wait for a check. Further files are refused. */
const MAX_QUEUED_PER_OWNER = 60;
/** Files of all owners that wait for a check. Beyond it the newest file of the owner with most waiting files is refused. */
const MAX_QUEUED = 1_000;
/** Milliseconds after which a waiting file is refused: less than the action's own deadline. */
const QUEUE_TIMEOUT_MS = 20_000;

const FILES: QueueLimits = {
  maxQueued: MAX_QUEUED,
  maxQueuedPerOwner: MAX_QUEUED_PER_OWNER,
  maxQueuedPerTenant: MAX_QUEUED_PER_TENANT,
  queueTimeoutMs: QUEUE_TIMEOUT_MS,
  refusal: tooManyFiles,
};

/** Checks flow files in the fair queue of their owners. */
export class FileChecks {
  readonly #owners: ShareOwners;

  constructor(owners: ShareOwners) {
    this.#owners = owners;
  }

  /** The faults of a caller's flow file; empty for a valid one. */
  async faultsFor(caller: Caller, content: string): Promise<Fault[]> {
    return this.#faultsOf(content, await this.#owners.ofCaller(caller));
  }

  /** Throws a problem with each fault and its place unless the text is a valid flow file of the workspace. */
  async assertCompiles(workspaceId: number, content: string): Promise<void> {
    const faults = await this.#faultsOf(content, await this.#owners.ofWorkspace(workspaceId));
    if (faults.length === 0) return;
    throw invalidFile(faults.map((fault) => ({ in: 'body', path: 'content', ...fault })));
  }

  async #faultsOf(content: string, share: Share): Promise<Fault[]> {
    const { faults } = await queueFileCheck(share, FILES, (files) =>
      files.compile(content, jobContextOf(share)),
    );
    return [...faults];
  }
}
