import { type ChangeContext, systemChange } from '../../mixins/changes/change-context.ts';
import type { Params } from '../contracts.ts';
import { branches, getBranch, type StoredBranch } from './branches.store.ts';
import { removalMessage } from './history/record-edits.ts';
import { unlessGone } from './missing-branch.ts';

const REMOVAL = systemChange('dev-mode', 'dev-mode.removeBranches', {
  none: 'the entry of the deletion of the workflow says it',
});

/** Discards the branch of a workflow and its history. */
export async function discardBranch(
  workflowId: number,
  change: ChangeContext,
  show: (branch: StoredBranch) => Promise<unknown>,
): Promise<null> {
  const branch = await getBranch(workflowId);
  await branches.remove(branch, change, { show, messages: [removalMessage(branch)] });
  return null;
}

/** Removes the branches of deleted workflows. */
export async function removeBranches({
  entries,
}: Params<'dev-mode.removeBranches'>): Promise<null> {
  for (const { workflowId } of entries) {
    const branch = await branches.find(workflowId);
    if (!branch) continue;
    const messages = [removalMessage(branch)];
    await branches.remove(branch, REMOVAL, { messages }).catch(unlessGone);
  }
  return null;
}
