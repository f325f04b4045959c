import { z } from 'zod';
import { defineEvent } from '../../contract/event.ts';
import { Id } from '../../contract/fields.ts';

const payload = z.strictObject({ workspaceId: Id, issueId: Id });

export const issueCreated = defineEvent({ name: 'issue.created', payload, delivery: 'one' });
export const issueUpdated = defineEvent({ name: 'issue.updated', payload, delivery: 'one' });
export const issueDeleted = defineEvent({ name: 'issue.deleted', payload, delivery: 'one' });
