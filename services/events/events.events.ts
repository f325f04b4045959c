import { z } from 'zod';
import { defineEvent } from '../../contract/event.ts';
import { Id } from '../../contract/fields.ts';

/** Deliveries of subscriptions are due: processes that may deliver them look at once. */
export const deliveriesDue = defineEvent({
  name: 'deliveries.due',
  payload: z.strictObject({ subscriptionIds: z.array(Id) }),
  delivery: 'broadcast',
});
