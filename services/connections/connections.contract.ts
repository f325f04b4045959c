import { defineContract } from '../../contract/contract.ts';
import { lifecycleActions } from '../../contract/lifecycle-actions.ts';
import { authCredentialActions } from './contract/auth-credentials.ts';
import { internalActions } from './contract/internal.ts';

export const connectionsContract = defineContract(
  'connections',
  'Credentials of other systems, and the calls that are described to them',
  { ...authCredentialActions, ...internalActions, ...lifecycleActions },
);
