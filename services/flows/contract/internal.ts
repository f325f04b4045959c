import { z } from 'zod';
import { action } from '../../../contract/contract.ts';
import { Id, Name } from '../../../contract/fields.ts';
import { entriesOf } from '../../../contract/outbox-entries.ts';
import { NotFound } from '../../../contract/problem.ts';

/** Milliseconds of one call to remove versions. Beyond it the call fails, and a repetition goes on with the rest. */
const REMOVAL_MS = 30_000;

/** The actions by which other services read flows, and by which a deletion goes on. */
export const internalActions = {
  versionForRun: action({
    summary: 'What a run of a flow executes: the newest version, or the one named',
    description: 'Without such a version `versionId` and `content` are null.',
    access: { who: 'internal' },
    body: { flowId: Id, versionId: Id.optional() },
    result: z.strictObject({
      flow: z.strictObject({ id: Id, workspaceId: Id, name: Name }),
      versionId: Id.nullable(),
      content: z.string().nullable(),
    }),
    errors: [NotFound],
    idempotent: true,
  }),
  versionsToRun: action({
    summary: 'What starts of runs execute, in their order: the newest versions, or those named',
    description:
      'Null for a flow that does not exist; without such a version `versionId` and `content` are null. The content is left out of a version that the caller knows, and of further ones when the answer would become too long.',
    access: { who: 'internal' },
    body: {
      starts: z
        .array(
          z.strictObject({
            flowId: Id,
            versionId: Id.optional(),
            knownVersionId: Id.optional(),
          }),
        )
        .max(100),
    },
    result: z.strictObject({
      versions: z.array(
        z
          .strictObject({
            flow: z.strictObject({ id: Id, workspaceId: Id, name: Name }),
            versionId: Id.nullable(),
            content: z.string().nullable().optional(),
          })
          .nullable(),
      ),
    }),
    idempotent: true,
  }),
  flowIdByName: action({
    summary: 'The id of the flow of a workspace with this name; null without such a flow',
    access: { who: 'internal' },
    body: { workspaceId: Id, name: z.string() },
    result: z.strictObject({ flowId: Id.nullable() }),
    idempotent: true,
  }),
  flowsByIds: action({
    summary: 'Those of the flows that there are, with the newest version of each',
    access: { who: 'internal' },
    body: { ids: z.array(Id).max(1000) },
    result: z.strictObject({
      flows: z.array(
        z.strictObject({ id: Id, workspaceId: Id, name: Name, versionId: Id.nullable() }),
      ),
    }),
    idempotent: true,
  }),
  removeParts: action({
    summary: 'Removes the versions and transformation tests of deleted flows',
    access: { who: 'internal' },
    body: { entries: entriesOf({ flowId: Id }) },
    result: null,
    timeoutMs: REMOVAL_MS,
    idempotent: true,
  }),
};
