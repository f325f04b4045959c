import { z } from 'zod';
import { Id } from '../../contract/fields.ts';
import type { OutgoingEvents } from '../../mixins/changes/outgoing-events.ts';
import { IssueStatus } from './issues.resources.ts';

/** The fields of an issue that its events show, as the outbox has them. Between processes dates are texts. */
export const IssueSnapshot = z.object({
  _id: Id,
  title: z.string(),
  description: z.string(),
  status: IssueStatus,
  assignedUserId: Id.nullable(),
  createdAt: z.coerce.date(),
  updatedAt: z.coerce.date(),
});
type Snapshot = z.output<typeof IssueSnapshot>;

/** The events of issues that subscriptions may ask for. */
export const issueOutgoing: OutgoingEvents<Snapshot & { workspaceId: number }> = {
  publish: 'issues.publishEvents',
  typeOf(before, after) {
    if (!after) return 'issue.deleted';
    return before ? 'issue.updated' : 'issue.created';
  },
  snapshot: ({ _id, title, description, status, assignedUserId, createdAt, updatedAt }) => ({
    _id,
    title,
    description,
    status,
    assignedUserId,
    createdAt,
    updatedAt,
  }),
  workspaceOf: ({ workspaceId }) => workspaceId,
};
