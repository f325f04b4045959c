import { defineContract } from '../../contract/contract.ts';
import { lifecycleActions } from '../../contract/lifecycle-actions.ts';
import { apiDescriptionActions } from './contract/api-descriptions.ts';
import { authCredentialActions } from './contract/auth-credentials.ts';
import { internalActions } from './contract/internal.ts';
import { testCallActions } from './contract/test-calls.ts';

export const connectionsContract = defineContract(
  'connections',
  'Credentials of other systems, and the calls that are described to them',
  {
    ...authCredentialActions,
    ...apiDescriptionActions,
    ...testCallActions,
    ...internalActions,
    ...lifecycleActions,
  },
);
