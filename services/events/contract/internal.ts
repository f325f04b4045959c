import { z } from 'zod';
import { action } from '../../../contract/contract.ts';
import { Id } from '../../../contract/fields.ts';
import { entriesOf } from '../../../contract/outbox-entries.ts';
import { EventTypeName, recordedEvents } from '../../../contract/outgoing-event.ts';

/** The actions by which other services hand over events, and by which changes of subscriptions are carried on. */
export const internalActions = {
  wanted: action({
    summary: 'The types of events that some enabled subscription of each workspace asks for',
    access: { who: 'internal' },
    body: { workspaceIds: z.array(Id).max(1000) },
    result: z.strictObject({
      wanted: z.array(z.strictObject({ workspaceId: Id, types: z.array(EventTypeName) })),
    }),
    idempotent: true,
  }),
  record: action({
    summary: 'Keeps events for the subscriptions that ask for them; a known one counts as kept',
    description:
      'Events of one resource come in their order, over all calls: a call with an event begins when those before it are kept.',
    access: { who: 'internal' },
    body: { entries: recordedEvents },
    result: null,
    idempotent: true,
  }),
  wakeDeliveries: action({
    summary: 'Lets a process look at the deliveries of changed subscriptions',
    access: { who: 'internal' },
    body: { entries: entriesOf({ subscriptionId: Id }) },
    result: null,
    idempotent: true,
  }),
  removeDeliveries: action({
    summary: 'Removes the deliveries of removed subscriptions',
    access: { who: 'internal' },
    body: { entries: entriesOf({ subscriptionId: Id }) },
    result: null,
    idempotent: true,
  }),
};
