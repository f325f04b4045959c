import { z } from 'zod';
import { action } from './contract.ts';
import { Id } from './fields.ts';
import { entriesOf } from './outbox-entries.ts';

/** The actions of each service that stores documents of workspaces or persons (`mixins/lifecycle/`). */
export const lifecycleActions = {
  eraseWorkspace: action({
    summary: 'Begins to remove what belongs to deleted workspaces; one that has begun goes on',
    access: { who: 'internal' },
    body: { entries: entriesOf({ workspaceId: Id }) },
    result: null,
    idempotent: true,
  }),
  erasePerson: action({
    summary: 'Begins to remove or rename what names deleted persons; one that has begun goes on',
    access: { who: 'internal' },
    body: {
      entries: entriesOf({
        userId: Id,
        /** The addresses that the person had, as `emailKey` makes them. */
        addresses: z.array(z.string()).optional(),
      }),
    },
    result: null,
    idempotent: true,
  }),
};
