import { defineContract } from '../../contract/contract.ts';
import { lifecycleActions } from '../../contract/lifecycle-actions.ts';
import { archiveActions } from './contract/archive.ts';
import { flowCredentialActions } from './contract/flow-credentials.ts';
import { internalActions } from './contract/internal.ts';
import { propertyActions } from './contract/properties.ts';
import { storeActions } from './contract/stores.ts';

export const configurationsContract = defineContract(
  'configurations',
  'Configuration stores: properties, and the credentials of flows',
  {
    ...storeActions,
    ...archiveActions,
    ...propertyActions,
    ...flowCredentialActions,
    ...internalActions,
    ...lifecycleActions,
  },
);
