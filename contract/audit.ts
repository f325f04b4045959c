import { z } from 'zod';
import { Id, Timestamp } from './fields.ts';

/** The ways by which a change can be requested. */
export const VIAS = ['http', 'console', 'run', 'assistant', 'system'] as const;
export type Via = (typeof VIAS)[number];

export const ACTOR_TYPES = [
  'person',
  'service-account',
  'api-key',
  'run',
  'system',
  'operator-console',
] as const;

/** The record of a caller in resources and audit entries (`contract/caller.ts`). */
export const ActorRecord = z.strictObject({
  type: z.enum(ACTOR_TYPES),
  id: Id.nullable(),
  name: z.string(),
});

/** The record of a change in the audit log. No entry contains a value of a field. */
export const AuditEntry = z
  .strictObject({
    id: z.string(),
    at: Timestamp,
    actor: ActorRecord,
    via: z.enum(VIAS),
    operation: z.string().meta({ description: 'The name of the operation, as in `issues.update`' }),
    resource: z.strictObject({ type: z.string(), id: z.union([Id, z.string()]) }),
    changed: z.array(z.string()).meta({ description: 'The names of the fields that changed' }),
    requestId: z.string().nullable(),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.output<typeof AuditEntry>;

/** The operation in the audit entry of a workspace's deletion, the one entry that the deletion leaves. */
export const WORKSPACE_REMOVAL = 'workspaces.remove';
