import { defineContract } from '../../contract/contract.ts';
import { lifecycleActions } from '../../contract/lifecycle-actions.ts';
import { publishEventsAction } from '../../contract/publish-events.ts';
import { internalActions } from './contract/internal.ts';
import { stepActions } from './contract/steps.ts';
import { workflowActions } from './contract/workflows.ts';

export const workflowsContract = defineContract(
  'workflows',
  'Workflows and their published steps',
  {
    ...workflowActions,
    ...stepActions,
    ...internalActions,
    publishEvents: publishEventsAction,
    ...lifecycleActions,
  },
);
