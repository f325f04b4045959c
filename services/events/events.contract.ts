import { defineContract } from '../../contract/contract.ts';
import { lifecycleActions } from '../../contract/lifecycle-actions.ts';
import { deliveryActions } from './contract/deliveries.ts';
import { internalActions } from './contract/internal.ts';
import { operatorActions } from './contract/operations.ts';
import { subscriptionActions } from './contract/subscriptions.ts';

export const eventsContract = defineContract(
  'events',
  'Subscriptions to events of a workspace, and their deliveries',
  {
    ...subscriptionActions,
    ...deliveryActions,
    ...internalActions,
    ...operatorActions,
    ...lifecycleActions,
  },
);
