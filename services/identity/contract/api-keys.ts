import { z } from 'zod';
import { ADMINS } from '../../../contract/access-rule.ts';
import { action } from '../../../contract/contract.ts';
import { DateTime, Id, IdText, listQuery, Name, pageOf } from '../../../contract/fields.ts';
import { NotFound } from '../../../contract/problem.ts';
import { QuotaReached } from '../../../contract/quota.ts';
import { ApiKeyEnded } from '../identity.problems.ts';
import { apiKeyExample } from './examples.ts';
import { ApiKey, NewApiKey, Scope } from './resources.ts';

/** Milliseconds of the longest grace time of a replaced key, 7 days. A longer one is answered 400. */
const MAX_GRACE_MS = 7 * 24 * 3600 * 1000;

const OF_KEYS = { none: 'people manage keys' } as const;

export const apiKeyActions = {
  createApiKey: action({
    summary: 'Make an API key of a workspace',
    description: 'The key is shown in this answer and never again.',
    route: 'POST /api-keys',
    tool: OF_KEYS,
    audit: { resource: 'api-key' },
    uncontended: true,
    idempotency: { sequence: 'api_keys' },
    shownOnce: ['key'],
    access: { who: 'member', roles: ADMINS, in: { parameter: 'workspaceId' } },
    body: {
      workspaceId: Id,
      name: Name,
      scopes: z
        .array(Scope)
        .min(1, 'must name at least one scope')
        .max(20)
        .meta({ description: 'What the key may be used for' }),
      expiresAt: DateTime.nullish().meta({ description: 'When the key ends; null for never' }),
    },
    result: NewApiKey,
    status: 201,
    errors: [NotFound, QuotaReached],
    example: {
      body: {
        workspaceId: apiKeyExample.workspaceId,
        name: apiKeyExample.name,
        scopes: apiKeyExample.scopes,
      },
      answer: { ...apiKeyExample, key: 'wsk_4fGhT7sQ1mXc9LpZ0aVbN3kR6yWdE8uJ1hKq2Zk9' },
    },
  }),
  listApiKeys: action({
    summary: 'The API keys of a workspace, revoked ones included',
    route: 'GET /workspaces/:workspaceId/api-keys',
    tool: OF_KEYS,
    access: { who: 'member', roles: ADMINS, in: { parameter: 'workspaceId' } },
    path: { workspaceId: IdText },
    query: listQuery,
    result: pageOf(ApiKey),
    format: 'page',
    errors: [NotFound],
    idempotent: true,
    example: { answer: [apiKeyExample] },
  }),
  rotateApiKey: action({
    summary: 'Replace an API key by a new one',
    description:
      'The id, the name, the scopes and the expiry stay; the new key is shown in this answer and never ' +
      'again. The present key holds for `graceMs` more, so that its users can be given the new one. Keys ' +
      'that earlier rotations have replaced keep their end, or end with the present key: so `graceMs` 0 ' +
      'ends all of them, and a rotation repeated because its answer was lost cuts nobody off. At most 5 ' +
      'replaced keys hold, the newest. A revocation ends all of them.',
    route: 'POST /api-keys/:id/rotate',
    tool: OF_KEYS,
    audit: { resource: 'api-key' },
    shownOnce: ['key'],
    access: { who: 'member', roles: ADMINS, in: { resource: 'API key', parameter: 'id' } },
    path: { id: IdText },
    body: {
      graceMs: z
        .int()
        .min(0, 'must be at least 0')
        .max(MAX_GRACE_MS, `must be at most ${MAX_GRACE_MS}`)
        .default(0)
        .meta({ description: 'Milliseconds for which the present key holds' }),
    },
    bodyOptional: true,
    result: NewApiKey,
    errors: [NotFound, ApiKeyEnded],
    example: {
      body: { graceMs: 86_400_000 },
      answer: {
        ...apiKeyExample,
        prefix: 'wsk_9LpZ',
        lastFour: 'k3Qd',
        key: 'wsk_9LpZ0aVbN3kR6yWdE8uJ1hKq2Zk94fGhT7sQ1mXck3Qd',
      },
    },
  }),
  revokeApiKey: action({
    summary: 'Revoke an API key',
    description: 'It is refused within a second, and stays in the list.',
    route: 'DELETE /api-keys/:id',
    tool: OF_KEYS,
    etag: { none: 'no GET shows a single key' },
    audit: { resource: 'api-key' },
    access: { who: 'member', roles: ADMINS, in: { resource: 'API key', parameter: 'id' } },
    path: { id: IdText },
    result: null,
    status: 204,
    errors: [NotFound],
    idempotent: true,
  }),
};
