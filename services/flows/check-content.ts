import type { Plan } from '@workspace-automation/flow-language';
import type { Caller } from '../../contract/caller.ts';
import type { FieldFault } from '../../contract/problem.ts';
import { jobContextOf } from '../../support/fair-shares/cpu-shares.ts';
import { limitsOfRequests, queueFileCheck } from '../../support/fair-shares/file-check-queue.ts';
import type { Share } from '../../support/fair-shares/share.ts';
import type { ShareOwners } from '../share-owners/share-owners.ts';
import type { Fault, FlowWarning } from './contract/resources.ts';
import { invalidFile, outdatedFile, tooManyFiles } from './flows.problems.ts';

const FILES = limitsOfRequests(tooManyFiles);

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
   * of the workspace. `parameter` is the one that brought the file.
   */
  async assertCompiles(
    workspaceId: number,
    content: string,
    parameter: Pick<FieldFault, 'in' | 'path'> = { in: 'body', path: 'content' },
  ): Promise<number> {
    const share = await this.#owners.ofWorkspace(workspaceId);
    const { faults, warnings } = await this.#check(content, share);
    if (faults.length === 0) return warnings.length;
    throw invalidFile(faults.map((fault) => ({ ...parameter, ...fault })));
  }

  /** Makes the plan of a stored file. Throws a problem for a file that is not valid any more. */
  async planOf(workspaceId: number, content: string): Promise<Plan> {
    const share = await this.#owners.ofWorkspace(workspaceId);
    const { plan, faults } = await queueFileCheck(share, FILES, (files) =>
      files.compile(content, { stored: true, ...jobContextOf(share) }),
    );
    if (!plan) throw outdatedFile(faults[0]?.message ?? '');
    return plan;
  }

  async #check(content: string, share: Share): Promise<CheckedFile> {
    const { faults, warnings } = await queueFileCheck(share, FILES, (files) =>
      files.compile(content, jobContextOf(share)),
    );
    return { faults: faults.map(({ pointer: _, ...fault }) => fault), warnings: [...warnings] };
  }
}
