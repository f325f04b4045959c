import { action } from '../../../contract/contract.ts';
import { Id } from '../../../contract/fields.ts';
import { entriesOf } from '../../../contract/outbox-entries.ts';

/** The actions that other services call. */
export const internalActions = {
  removeOfFlows: action({
    summary:
      'Removes the schedules and the webhooks of deleted flows; a repetition changes nothing',
    access: { who: 'internal' },
    body: { entries: entriesOf({ flowId: Id }) },
    result: null,
    idempotent: true,
  }),
};
