import { changesOf, type Shown } from '../../mixins/changes/change-store.ts';
import {
  type DevModeBranchDocument,
  DevModeBranchModel,
} from '../../models/dev-mode-branch.model.ts';
import { noBranch } from './dev-mode.problems.ts';

export type StoredBranch = Shown<DevModeBranchDocument>;

/** The one way to write branches. */
export const branches = changesOf(DevModeBranchModel, {
  missing: noBranch,
  incarnation: 'branchId',
  isLarge: () => true,
});

export async function getBranch(workflowId: number): Promise<StoredBranch> {
  const branch = await branches.find(workflowId);
  if (!branch) throw noBranch(workflowId);
  return branch;
}
