import { type EventPublisher, pendingEntriesFinder } from '../outgoing-events/publish-events.ts';
import { flows } from './flows.store.ts';

const ACTION = 'flows.publishEvents';

/** Publishes the events of flows. Their snapshots are the flows as GET has shown them then. */
export const flowEvents: EventPublisher = {
  service: 'flows',
  action: ACTION,
  findPending: pendingEntriesFinder(flows.collection, ACTION),
  resourceOf: ({ documentId: id }) => ({ type: 'flow', id }),
  render: (entries) => entries.map(({ snapshot }) => snapshot),
};
