import { defineContract } from '../../contract/contract.ts';
import { lifecycleActions } from '../../contract/lifecycle-actions.ts';
import { eventActions } from './contract/events.ts';
import { internalActions } from './contract/internal.ts';
import { recordingActions } from './contract/recordings.ts';

export const recordingsContract = defineContract(
  'recordings',
  'Recordings of what people do on a screen, and the steps made of them',
  {
    ...recordingActions,
    ...eventActions,
    ...internalActions,
    ...lifecycleActions,
  },
);
