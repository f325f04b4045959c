import { z } from 'zod';
import { ADMINS } from '../../../contract/access-rule.ts';
import { action } from '../../../contract/contract.ts';
import { Id, IdText, listQuery, Name, pageOf, Timestamp } from '../../../contract/fields.ts';
import { NotFound } from '../../../contract/problem.ts';
import { apiKeyExample } from './examples.ts';
import { ApiKey, NewApiKey, Scope } from './resources.ts';

export const apiKeyActions = {
  createApiKey: action({
    summary: 'Make an API key of a workspace',
    description: 'The key is shown in this answer and never again.',
    route: 'POST /api-keys',
    audit: { resource: 'api-key' },
    uncontended: true,
    idempotency: { sequence: 'api_keys' },
    shownOnce: ['key'],
    access: { who: 'member', roles: ADMINS, in: { parameter: 'workspaceId' } },
    body: {
      workspaceId: Id,
      name: Name,
      scopes: z.array(Scope).min(1, 'must name at least one scope').max(20),
      expiresAt: Timestamp.nullish(),
    },
    result: NewApiKey,
    status: 201,
    errors: [NotFound],
    example: {
      body: {
        workspaceId: 42,
        name: 'Support form',
        scopes: ['issues:create'],
        expiresAt: '2027-01-31T00:00:00.000Z',
      },
      answer: { ...apiKeyExample, key: 'wsk_4fGhT7sQ1mXc9LpZ0aVbN3kR6yWdE8uJ1hKq2Zk9' },
    },
  }),
  listApiKeys: action({
    summary: 'The API keys of a workspace, revoked ones included',
    route: 'GET /workspaces/:workspaceId/api-keys',
    access: { who: 'member', roles: ADMINS, in: { parameter: 'workspaceId' } },
    path: { workspaceId: IdText },
    query: listQuery,
    result: pageOf(ApiKey),
    format: 'page',
    errors: [NotFound],
    idempotent: true,
    example: { answer: [apiKeyExample] },
  }),
  revokeApiKey: action({
    summary: 'Revoke an API key',
    description: 'It is refused within a second, and stays in the list.',
    route: 'DELETE /api-keys/:id',
    audit: { resource: 'api-key' },
    access: { who: 'member', roles: ADMINS, in: { resource: 'API key', parameter: 'id' } },
    path: { id: IdText },
    result: null,
    status: 204,
    errors: [NotFound],
    idempotent: true,
  }),
};
