import { action } from '../../../contract/contract.ts';
import { Id } from '../../../contract/fields.ts';
import { entriesOf } from '../../../contract/outbox-entries.ts';

/** The actions by which changes of recordings are carried on. */
export const internalActions = {
  removeBatches: action({
    summary: 'Removes the events of removed recordings',
    access: { who: 'internal' },
    body: { entries: entriesOf({ recordingId: Id }) },
    result: null,
    idempotent: true,
  }),
};
