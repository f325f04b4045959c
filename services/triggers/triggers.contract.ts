import { defineContract } from '../../contract/contract.ts';
import { lifecycleActions } from '../../contract/lifecycle-actions.ts';
import { internalActions } from './contract/internal.ts';
import { scheduleActions } from './contract/schedules.ts';

export const triggersContract = defineContract(
  'triggers',
  'What runs flows by itself: schedules and webhooks',
  {
    ...scheduleActions,
    ...internalActions,
    ...lifecycleActions,
  },
);
