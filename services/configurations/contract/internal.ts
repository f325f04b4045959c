import { z } from 'zod';
import { action } from '../../../contract/contract.ts';
import { Id, Name, Timestamp } from '../../../contract/fields.ts';

export const internalActions = {
  forRun: action({
    summary:
      'The store that a run is started with, by id or external id; null without such a store',
    access: { who: 'internal' },
    body: { workspaceId: Id, configuration: z.union([Id, z.string()]) },
    result: z.strictObject({
      store: z
        .strictObject({
          id: Id,
          externalId: z.string(),
          updatedAt: Timestamp,
          archived: z.boolean(),
          properties: z.record(z.string(), z.string()),
          pairs: z.array(
            z.strictObject({
              flowId: Id,
              sourceAuthCredentialId: Id.nullable(),
              destinationAuthCredentialId: Id.nullable(),
            }),
          ),
        })
        .nullable(),
    }),
    idempotent: true,
  }),
  storesUsing: action({
    summary: 'The stores that use a credential: the first five, and the number of the others',
    access: { who: 'internal' },
    body: { workspaceId: Id, credentialId: Id },
    result: z.strictObject({
      stores: z.array(z.strictObject({ id: Id, name: Name })),
      more: z.int().nonnegative(),
    }),
    idempotent: true,
  }),
};
