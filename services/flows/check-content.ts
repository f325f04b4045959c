import type { Caller } from '../../contract/caller.ts';
import { jobContextOf } from '../../support/fair-shares/cpu-shares.ts';
import { queueFileCheck } from '../../support/fair-shares/file-check-queue.ts';
import type { QueueLimits } from '../../support/fair-shares/queue-limits.ts';
import type { Share } from '../../support/fair-shares/share.ts';
import type { ShareOwners } from '../share-owners/share-owners.ts';
import type { Fault, FlowWarning } from './contract/resources.ts';
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

export interface CheckedFile {
  faults: Fault[];
  warnings: FlowWarning[];
}

/** Checks flow files in the fair queue of their owners. */
export class FileChecks {
  readonly #owners: ShareOwners;

  constructor(owners: ShareOwners) {
    this.#owners = owners;
  }

  /** The faults of a caller's flow file, none for a valid file, and its warnings. */
  async checkFor(caller: Caller, content: string): Promise<CheckedFile> {
    return this.#check(content, await this.#owners.ofCaller(caller));
  }

  /**
   * Returns the number of warnings. Throws a problem with each fault and its place unless the text is a valid flow file
   * of the workspace.
   */
  async assertCompiles(workspaceId: number, content: string): Promise<number> {
    const share = await this.#owners.ofWorkspace(workspaceId);
    const { faults, warnings } = await this.#check(content, share);
    if (faults.length === 0) return warnings.length;
    throw invalidFile(faults.map((fault) => ({ in: 'body', path: 'content', ...fault })));
  }

  async #check(content: string, share: Share): Promise<CheckedFile> {
    const { faults, warnings } = await queueFileCheck(share, FILES, (files) =>
      files.compile(content, jobContextOf(share)),
    );
    return { faults: [...faults], warnings: [...warnings] };
  }
}
