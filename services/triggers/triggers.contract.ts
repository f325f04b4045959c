import { defineContract } from '../../contract/contract.ts';
import { lifecycleActions } from '../../contract/lifecycle-actions.ts';
import { internalActions } from './contract/internal.ts';
import { operatorActions } from './contract/operations.ts';
import { scheduleActions } from './contract/schedules.ts';
import { webhookActions } from './contract/webhooks.ts';

export const triggersContract = defineContract(
  'triggers',
  'What runs flows by itself: schedules and webhooks',
  {
    ...scheduleActions,
    ...webhookActions,
    ...internalActions,
    ...operatorActions,
    ...lifecycleActions,
  },
);
