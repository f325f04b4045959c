import type { EventPublisher } from '../outgoing-events/publish-events.ts';
import { flows } from './flows.store.ts';

/** Publishes the events of flows. Their snapshots are the flows as GET has shown them then. */
export const flowEvents: EventPublisher = {
  service: 'flows',
  action: 'flows.publishEvents',
  collection: flows.collection,
  resourceOf: ({ documentId: id }) => ({ type: 'flow', id }),
  render: (entries) => entries.map(({ snapshot }) => snapshot),
};
