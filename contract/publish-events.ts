import { z } from 'zod';
import { action } from './contract.ts';
import { Id } from './fields.ts';
import { entriesOf } from './outbox-entries.ts';
import { EventTypeName } from './outgoing-event.ts';

/** The entries by which a change publishes its event (`mixins/changes/outgoing-events.ts`). */
export const eventEntries = entriesOf({
  /** The id of the document in whose outbox the entry stands. */
  documentId: z.union([Id, z.string()]),
  workspaceId: Id,
  type: EventTypeName,
  /** The fields of the document that the event shows. */
  snapshot: z.record(z.string(), z.unknown()),
});
export type EventEntry = z.output<typeof eventEntries>[number];

/** The action of each service whose changes are outgoing events. */
export const publishEventsAction = action({
  summary: 'Hands the events of changes over to `events`, if a subscription asks for them',
  access: { who: 'internal' },
  body: { entries: eventEntries },
  result: null,
  idempotent: true,
});
