import { z } from 'zod';
import { Id, Name, Timestamp } from '../../contract/fields.ts';
import { ISSUE_STATUSES } from '../../models/issue-status.ts';

export const IssueStatus = z
  .enum(ISSUE_STATUSES, { error: `must be one of ${ISSUE_STATUSES.join(', ')}` })
  .meta({ id: 'IssueStatus', description: 'How far an issue is' });

export const Assignee = z
  .strictObject({ id: Id, email: z.string(), firstName: z.string(), lastName: z.string() })
  .meta({ id: 'Assignee', description: 'The member who is to handle an issue' });

export const Issue = z
  .strictObject({
    id: Id,
    title: Name,
    description: z.string(),
    status: IssueStatus,
    assignee: Assignee.nullable(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  })
  .meta({ id: 'Issue' });
export type Issue = z.output<typeof Issue>;
