import { z } from 'zod';
import { ADMINS, MEMBERS, ROLES } from '../../../contract/access-rule.ts';
import { action } from '../../../contract/contract.ts';
import { Id, IdText, listQuery, Name, pageOf, Role, Timestamp } from '../../../contract/fields.ts';
import { NotFound } from '../../../contract/problem.ts';
import { QuotaReached } from '../../../contract/quota.ts';
import { IdentityProviderUnavailable } from '../identity.problems.ts';
import { Creator } from './resources.ts';

const ACCOUNT_ROLES = ROLES.filter((role) => role !== 'OWNER');
const AccountRole = z
  .enum(ACCOUNT_ROLES, { error: `must be one of ${ACCOUNT_ROLES.join(', ')}` })
  .meta({ id: 'AccountRole', description: 'A role that a service account may have' });

const OF_ACCOUNTS = { none: 'people manage accounts of programs' } as const;

export const ServiceAccount = z
  .strictObject({
    id: Id,
    workspaceId: Id,
    name: Name,
    clientId: z.string().meta({ description: 'For `POST /auth/token`' }),
    role: AccountRole,
    createdAt: Timestamp,
    updatedAt: Timestamp,
    createdBy: Creator,
  })
  .meta({ id: 'ServiceAccount', description: 'An account of a workspace, for programs' });

const WithSecret = z
  .strictObject({
    ...ServiceAccount.shape,
    clientSecret: z
      .string()
      .nullable()
      .meta({ description: 'Shown this once; null in a repeated answer' }),
  })
  .meta({ id: 'ServiceAccountWithSecret' });

const exampleAccount = {
  id: 1,
  workspaceId: 1,
  name: 'Nightly import',
  clientId: 'sa_4fGhT7sQ1mXc9LpZ0aVb',
  role: 'AGENT',
  createdAt: '2026-01-31T09:30:00.000Z',
  updatedAt: '2026-01-31T09:30:00.000Z',
  createdBy: { type: 'person', id: 1, name: 'Ada Lovelace' },
};
const exampleWithSecret = {
  ...exampleAccount,
  clientSecret: 'Jm1pV3l8vQd0a7o2c9xS4tY6u1hB5nE3kR8zG0fLqWs',
};

/** Milliseconds until an operation that calls the identity provider twice is answered with 504. */
const PROVIDER_MS = 15_000;

const account = { resource: 'service account', parameter: 'serviceAccountId' } as const;
const accountPath = { serviceAccountId: IdText };

export const serviceAccountActions = {
  createServiceAccount: action({
    summary: 'Make a service account of a workspace',
    description:
      'The client secret is shown in this answer and never again. The role is AGENT unless given, and never above the role of who makes the account.',
    route: 'POST /service-accounts',
    tool: OF_ACCOUNTS,
    audit: { resource: 'service-account' },
    uncontended: true,
    idempotency: { sequence: 'service_accounts' },
    shownOnce: ['clientSecret'],
    access: { who: 'member', roles: ADMINS, in: { parameter: 'workspaceId' } },
    body: { workspaceId: Id, name: Name, role: AccountRole.default('AGENT') },
    result: WithSecret,
    status: 201,
    errors: [NotFound, QuotaReached, IdentityProviderUnavailable],
    timeoutMs: PROVIDER_MS,
    example: {
      body: { workspaceId: 1, name: 'Nightly import', role: 'AGENT' },
      answer: exampleWithSecret,
    },
  }),
  listServiceAccounts: action({
    summary: 'The service accounts of a workspace',
    route: 'GET /workspaces/:workspaceId/service-accounts',
    tool: OF_ACCOUNTS,
    access: { who: 'member', roles: MEMBERS, in: { parameter: 'workspaceId' } },
    path: { workspaceId: IdText },
    query: listQuery,
    result: pageOf(ServiceAccount),
    format: 'page',
    errors: [NotFound],
    idempotent: true,
    example: { answer: [exampleAccount] },
  }),
  getServiceAccount: action({
    summary: 'One service account',
    route: 'GET /service-accounts/:serviceAccountId',
    tool: OF_ACCOUNTS,
    etag: true,
    access: { who: 'member', roles: MEMBERS, in: account },
    path: accountPath,
    result: ServiceAccount,
    errors: [NotFound],
    idempotent: true,
    example: { answer: exampleAccount },
  }),
  updateServiceAccount: action({
    summary: 'Rename a service account',
    route: 'PUT /service-accounts/:serviceAccountId',
    tool: OF_ACCOUNTS,
    audit: { resource: 'service-account' },
    etag: true,
    access: { who: 'member', roles: ADMINS, in: account },
    path: accountPath,
    body: { id: Id.optional(), workspaceId: Id.optional(), name: Name.optional() },
    readOnly: ['clientId', 'role', 'createdAt', 'updatedAt', 'createdBy'],
    result: ServiceAccount,
    errors: [NotFound],
    example: {
      body: { name: 'Hourly import' },
      answer: { ...exampleAccount, name: 'Hourly import' },
    },
  }),
  removeServiceAccount: action({
    summary: 'Delete a service account',
    description:
      'Its account at the identity provider goes with it, and its tokens are refused within a second.',
    route: 'DELETE /service-accounts/:serviceAccountId',
    tool: OF_ACCOUNTS,
    audit: { resource: 'service-account' },
    etag: true,
    access: { who: 'member', roles: ADMINS, in: account },
    path: accountPath,
    result: null,
    errors: [NotFound, IdentityProviderUnavailable],
    timeoutMs: PROVIDER_MS,
  }),
  rotateServiceAccountSecret: action({
    summary: 'Give a service account a new secret',
    description:
      'The new secret is shown in this answer and never again. The old one, and every token that was made with it, is refused within a second.',
    route: 'POST /service-accounts/:serviceAccountId/secret',
    tool: OF_ACCOUNTS,
    audit: { resource: 'service-account' },
    shownOnce: ['clientSecret'],
    access: { who: 'member', roles: ADMINS, in: account },
    path: accountPath,
    result: WithSecret,
    errors: [NotFound, IdentityProviderUnavailable],
    timeoutMs: PROVIDER_MS,
    example: { answer: exampleWithSecret },
  }),
  roleOfServiceAccount: action({
    summary: 'The role of a service account in its workspace; null for no such account',
    access: { who: 'internal' },
    body: { accountId: Id, workspaceId: Id },
    result: z.strictObject({ role: Role.nullable() }),
    idempotent: true,
  }),
};
