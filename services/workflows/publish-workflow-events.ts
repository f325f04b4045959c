import { type EventPublisher, pendingEntriesFinder } from '../outgoing-events/publish-events.ts';
import { workflows } from './workflows.store.ts';

const ACTION = 'workflows.publishEvents';

/** Publishes the events of workflows. Their snapshots are the workflows as GET has shown them then. */
export const workflowEvents: EventPublisher = {
  service: 'workflows',
  action: ACTION,
  findPending: pendingEntriesFinder(workflows.collection, ACTION),
  resourceOf: ({ documentId: id }) => ({ type: 'workflow', id }),
  render: (entries) => entries.map(({ snapshot }) => snapshot),
};
