import { z } from 'zod';
import { Id, Timestamp } from './fields.ts';

/** Through what a change came. */
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

const Actor = z.strictObject({
  type: z.enum(ACTOR_TYPES),
  id: Id.nullable(),
  name: z.string(),
});

/** What the audit log keeps of a change: never a value. */
export const AuditEntry = z
  .strictObject({
    id: z.string(),
    at: Timestamp,
    actor: Actor,
    via: z.enum(VIAS),
    operation: z.string().meta({ description: 'The name of the operation, as in `issues.update`' }),
    resource: z.strictObject({ type: z.string(), id: z.union([Id, z.string()]) }),
    changed: z.array(z.string()).meta({ description: 'The names of the fields that changed' }),
    requestId: z.string().nullable(),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.output<typeof AuditEntry>;
