import { z } from 'zod';
import { defineEvent } from '../../contract/event.ts';
import { Id } from '../../contract/fields.ts';

/** A user's role in the workspace has changed; without `userId`, the roles of all its members. */
export const memberChanged = defineEvent({
  name: 'member.changed',
  payload: z.strictObject({ workspaceId: Id, userId: Id.optional() }),
  delivery: 'broadcast',
});
