import type { EventPublisher } from '../outgoing-events/publish-events.ts';
import { workflows } from './workflows.store.ts';

/** Publishes the events of workflows. Their snapshots are the workflows as GET has shown them then. */
export const workflowEvents: EventPublisher = {
  service: 'workflows',
  action: 'workflows.publishEvents',
  collection: workflows.collection,
  resourceOf: ({ documentId: id }) => ({ type: 'workflow', id }),
  render: (entries) => entries.map(({ snapshot }) => snapshot),
};
