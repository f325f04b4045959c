import { type EventPublisher, standingOf } from '../outgoing-events/publish-events.ts';
import { flows } from './flows.store.ts';

const ACTION = 'flows.publishEvents';

/** Publishes the events of flows. Their snapshots are the flows as GET has shown them then. */
export const flowEvents: EventPublisher = {
  service: 'flows',
  action: ACTION,
  findStanding: standingOf(flows.collection, ACTION),
  resourceOf: ({ documentId: id }) => ({ type: 'flow', id }),
  render: (entries) => entries.map(({ snapshot }) => snapshot),
};
