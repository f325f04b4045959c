import { defineContract } from '../../contract/contract.ts';
import { lifecycleActions } from '../../contract/lifecycle-actions.ts';
import { branchActions } from './contract/branches.ts';
import { internalActions } from './contract/internal.ts';
import { stepActions } from './contract/steps.ts';

export const devModeContract = defineContract(
  'dev-mode',
  'Branches: the editable copies of the steps of workflows',
  { ...stepActions, ...branchActions, ...internalActions, ...lifecycleActions },
);
