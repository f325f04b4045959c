import { z } from 'zod';
import { ADMINS } from '../../../contract/access-rule.ts';
import { ACTOR_TYPES, AuditEntry } from '../../../contract/audit.ts';
import { action } from '../../../contract/contract.ts';
import { DateTime, Id, IdText, listQuery, pageOf, Timestamp } from '../../../contract/fields.ts';
import { NotFound } from '../../../contract/problem.ts';

const NAME = { error: 'must be a name such as `issue` or `issues.update`' };
const ResourceType = z
  .string()
  .regex(/^[a-z][a-z-]{0,49}$/, NAME)
  .meta({ description: 'The type of the changed resource, such as `issue`' });
const OperationName = z
  .string()
  .regex(/^[a-z][a-zA-Z]{0,49}\.[a-z][a-zA-Z]{0,49}$/, NAME)
  .meta({ description: 'The operation that made the change, such as `issues.update`' });
/** The id of a resource: a number for most types, a text for others. */
const ResourceId = z
  .union([IdText, z.string().regex(/^[\w:.~-]{1,100}$/)], { error: 'must be the id of a resource' })
  .meta({ override: { type: 'string', maxLength: 100 } });

export const auditActions = {
  listAudit: action({
    summary: 'The audit log of a workspace',
    description:
      'Every change, newest first: who made it, through what, and the names of the fields that changed, without ' +
      'their values. A filter that few entries pass may give a page with fewer entries than `limit`, or none, ' +
      'although its `Link` leads to further ones.',
    route: 'GET /workspaces/:workspaceId/audit-log',
    tool: true,
    access: { who: 'member', roles: ADMINS, in: { parameter: 'workspaceId' } },
    path: { workspaceId: IdText },
    query: {
      actorType: z
        .enum(ACTOR_TYPES, { error: `must be one of ${ACTOR_TYPES.join(', ')}` })
        .optional()
        .meta({ description: 'Who made the change' }),
      actorId: IdText.optional(),
      operation: OperationName.optional(),
      resourceType: ResourceType.optional(),
      resourceId: ResourceId.optional(),
      from: DateTime.optional().meta({ description: 'Changes made at this time or later' }),
      to: DateTime.optional().meta({ description: 'Changes made at this time or earlier' }),
      ...listQuery,
    },
    result: pageOf(AuditEntry),
    format: 'page',
    errors: [NotFound],
    idempotent: true,
    example: {
      answer: [
        {
          id: '019c12f6-7a40-7000-9d2c-3f6b8e1a4c5d',
          at: '2026-01-31T09:30:00.000Z',
          actor: { type: 'person', id: 1, name: 'Ada Lovelace' },
          via: 'http',
          operation: 'issues.update',
          resource: { type: 'issue', id: 1 },
          changed: ['status'],
          requestId: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
        },
      ],
    },
  }),
  listActs: action({
    summary: 'The resources of a type that a person has changed since a time: a page of their ids',
    access: { who: 'internal' },
    body: {
      userId: Id,
      resourceType: ResourceType,
      since: Timestamp,
      /** The cursor of the page before. */
      after: z.string().optional(),
    },
    result: z.strictObject({
      ids: z.array(z.union([Id, z.string()])),
      /** The cursor of the next page; null in the last page. */
      after: z.string().nullable(),
    }),
    idempotent: true,
  }),
  recordAudit: action({
    summary: 'Keeps audit entries; one whose id is known already counts as kept',
    access: { who: 'internal' },
    body: { entries: z.array(AuditEntry.extend({ workspaceId: Id.nullable() })) },
    result: null,
    idempotent: true,
  }),
};
