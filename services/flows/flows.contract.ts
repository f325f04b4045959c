import { defineContract } from '../../contract/contract.ts';
import { lifecycleActions } from '../../contract/lifecycle-actions.ts';
import { publishEventsAction } from '../../contract/publish-events.ts';
import { flowActions } from './contract/flows.ts';
import { internalActions } from './contract/internal.ts';
import { transformationActions } from './contract/transformations.ts';
import { versionActions } from './contract/versions.ts';

export const flowsContract = defineContract('flows', 'Flow files and their versions', {
  ...flowActions,
  ...versionActions,
  ...transformationActions,
  ...internalActions,
  publishEvents: publishEventsAction,
  ...lifecycleActions,
});
