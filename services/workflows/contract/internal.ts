import { z } from 'zod';
import { ActorRecord, VIAS } from '../../../contract/audit.ts';
import { action } from '../../../contract/contract.ts';
import { Id, Name, Timestamp } from '../../../contract/fields.ts';
import { NotFound } from '../../../contract/problem.ts';
import { StoredStep } from '../../workflow-steps/step-fields.ts';

const revision = z.int().nonnegative();
const summary = { id: Id, workspaceId: Id, name: Name };

/** The actions by which other services read and publish steps. */
export const internalActions = {
  workflowsByIds: action({
    summary: 'Those of the workflows that there are',
    access: { who: 'internal' },
    body: { ids: z.array(Id).max(1000) },
    result: z.strictObject({ workflows: z.array(z.strictObject(summary)) }),
    idempotent: true,
  }),
  published: action({
    summary: 'A workflow with its published steps',
    access: { who: 'internal' },
    body: { workflowId: Id },
    result: z.strictObject({
      workflow: z.strictObject(summary),
      revision,
      publishedAt: Timestamp,
      steps: z.array(StoredStep),
    }),
    errors: [NotFound],
    idempotent: true,
  }),
  publish: action({
    summary:
      'Publishes checked steps in place of a revision, for the person who asks another service',
    description: 'False when the published revision is another one. Repeating it changes nothing.',
    audit: { resource: 'workflow' },
    access: { who: 'internal' },
    body: {
      workflowId: Id,
      expectedRevision: revision,
      steps: z.array(StoredStep),
      /** The change that the audit log records. */
      request: z.strictObject({
        actor: ActorRecord,
        via: z.enum(VIAS),
        operation: z.string(),
        requestId: z.string().nullable(),
      }),
    },
    result: z.strictObject({ published: z.boolean() }),
    errors: [NotFound],
  }),
};
