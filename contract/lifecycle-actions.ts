import { z } from 'zod';
import { action } from './contract.ts';
import { Id, Timestamp } from './fields.ts';

const entry = { id: z.string(), at: Timestamp };

/** The actions of each service that stores documents of workspaces or persons (`mixins/lifecycle/`). */
export const lifecycleActions = {
  eraseWorkspace: action({
    summary: 'Begins to remove what belongs to deleted workspaces; one that has begun goes on',
    access: { who: 'internal' },
    body: { entries: z.array(z.strictObject({ ...entry, workspaceId: Id })) },
    result: null,
    idempotent: true,
  }),
  erasePerson: action({
    summary: 'Begins to remove or rename what names deleted persons; one that has begun goes on',
    access: { who: 'internal' },
    body: {
      entries: z.array(
        z.strictObject({
          ...entry,
          userId: Id,
          /** The addresses that the person had, as `emailKey` makes them. */
          addresses: z.array(z.string()).optional(),
        }),
      ),
    },
    result: null,
    idempotent: true,
  }),
};
