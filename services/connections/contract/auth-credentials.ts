import { z } from 'zod';
import { ADMINS, WORKERS } from '../../../contract/access-rule.ts';
import { action } from '../../../contract/contract.ts';
import { Id, IdText, listQuery, Name, pageOf, Timestamp } from '../../../contract/fields.ts';
import { NotFound } from '../../../contract/problem.ts';
import { CredentialInUse } from '../auth-credentials/auth-credentials.problems.ts';
import { AllowedOrigins } from '../auth-credentials/origins/allowed-origins.ts';
import { GivenSecret } from '../auth-credentials/secret/secret.ts';
import { AuthType } from './resources.ts';

export const AuthCredential = z
  .strictObject({
    id: Id,
    workspaceId: Id,
    name: Name,
    authType: AuthType,
    allowedOrigins: z.array(z.string()),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    lastUsedAt: Timestamp.nullable(),
  })
  .meta({
    id: 'AuthCredential',
    description: 'A credential of another system, without its secret',
  });
export type AuthCredential = z.output<typeof AuthCredential>;

const exampleCredential = {
  id: 1,
  workspaceId: 1,
  name: 'Order system',
  authType: 'BASIC',
  allowedOrigins: ['https://orders.example.com'],
  createdAt: '2026-01-31T09:30:00.000Z',
  updatedAt: '2026-01-31T09:30:00.000Z',
  lastUsedAt: null,
};

/** Milliseconds of the deadline of a deletion, which waits for writers of references and asks for users. */
const REMOVAL_MS = 15_000;

const credential = { resource: 'auth credential', loader: 'authCredential' } as const;
const credentialPath = { id: IdText };
const ofPath = { ...credential, parameter: 'id' } as const;

export const authCredentialActions = {
  createAuthCredential: action({
    summary: 'Make an auth credential of a workspace',
    description:
      'The secret is sent to the origins of `allowedOrigins` alone, and no answer contains it.',
    route: 'POST /auth-credentials',
    tool: { none: 'its body has secrets' },
    audit: { resource: 'auth-credential' },
    uncontended: true,
    idempotency: { sequence: 'auth_credentials' },
    access: { who: 'member', roles: ADMINS, in: { parameter: 'workspaceId' } },
    body: {
      workspaceId: Id,
      name: Name,
      authType: AuthType,
      allowedOrigins: AllowedOrigins.default([]),
      secret: GivenSecret.optional(),
    },
    result: AuthCredential,
    status: 201,
    errors: [NotFound],
    example: {
      body: {
        workspaceId: exampleCredential.workspaceId,
        name: exampleCredential.name,
        authType: exampleCredential.authType,
        allowedOrigins: exampleCredential.allowedOrigins,
        secret: { username: 'automation', password: 'a long password' },
      },
      answer: exampleCredential,
    },
  }),
  listAuthCredentials: action({
    summary: 'The auth credentials of a workspace',
    route: 'GET /workspaces/:workspaceId/auth-credentials',
    tool: true,
    access: { who: 'member', roles: WORKERS, in: { parameter: 'workspaceId' } },
    path: { workspaceId: IdText },
    query: listQuery,
    result: pageOf(AuthCredential),
    format: 'page',
    errors: [NotFound],
    idempotent: true,
    example: { answer: [exampleCredential] },
  }),
  getAuthCredential: action({
    summary: 'One auth credential',
    route: 'GET /auth-credentials/:id',
    tool: true,
    etag: true,
    access: { who: 'member', roles: WORKERS, in: ofPath },
    path: credentialPath,
    result: AuthCredential,
    errors: [NotFound],
    idempotent: true,
    example: { answer: exampleCredential },
  }),
  updateAuthCredential: action({
    summary: 'Change an auth credential',
    description:
      'Only what is given changes; a credential keeps its type. `allowedOrigins` may lose the origin of an API description that uses the credential: the calls of that one are then refused, in runs with the error `CREDENTIAL_ORIGIN_REFUSED`, and nothing is sent. What GET answered can be sent back, with its `id` as `authCredentialId`.',
    route: 'PUT /auth-credentials',
    tool: { none: 'its body has secrets' },
    audit: { resource: 'auth-credential' },
    etag: true,
    access: {
      who: 'member',
      roles: ADMINS,
      in: { ...credential, parameter: 'authCredentialId' },
    },
    body: {
      authCredentialId: Id,
      id: Id.optional(),
      workspaceId: Id.optional(),
      name: Name.optional(),
      allowedOrigins: AllowedOrigins.optional(),
      secret: GivenSecret.optional(),
    },
    readOnly: ['authType', 'createdAt', 'updatedAt', 'lastUsedAt'],
    result: AuthCredential,
    errors: [NotFound],
    example: {
      body: { authCredentialId: exampleCredential.id, name: 'Order system, new' },
      answer: { ...exampleCredential, name: 'Order system, new' },
    },
  }),
  removeAuthCredential: action({
    summary: 'Delete an auth credential',
    description: 'One that an API description or a configuration store uses is not deleted (409).',
    route: 'DELETE /auth-credentials/:id',
    tool: { none: 'people manage secrets' },
    audit: { resource: 'auth-credential' },
    etag: true,
    access: { who: 'member', roles: ADMINS, in: ofPath },
    path: credentialPath,
    result: null,
    status: 204,
    errors: [NotFound, CredentialInUse],
    timeoutMs: REMOVAL_MS,
  }),
};
