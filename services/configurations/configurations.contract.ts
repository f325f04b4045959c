import { defineContract } from '../../contract/contract.ts';
import { lifecycleActions } from '../../contract/lifecycle-actions.ts';
import { internalActions } from './contract/internal.ts';

export const configurationsContract = defineContract(
  'configurations',
  'Configuration stores: properties, and the credentials of flows',
  { ...internalActions, ...lifecycleActions },
);
