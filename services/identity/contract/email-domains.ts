import { z } from 'zod';
import { action } from '../../../contract/contract.ts';
import { Domain, Id, IdText, listQuery, pageOf, Timestamp } from '../../../contract/fields.ts';
import { NotFound } from '../../../contract/problem.ts';
import { AUTO_JOIN_ROLES } from '../../../models/email-domain.model.ts';

const AutoJoinRole = z
  .enum(AUTO_JOIN_ROLES, { error: `must be one of ${AUTO_JOIN_ROLES.join(', ')}` })
  .meta({ id: 'AutoJoinRole', description: 'The role of a user who joins by the domain' });

const WorkspaceToJoin = Id.nullable().meta({
  description:
    'The workspace that a user of the domain joins when the user verifies an address of it; null for none',
});

const FOR_OPERATORS = { none: 'operators manage domains' } as const;

export const EmailDomain = z
  .strictObject({
    id: Id,
    domain: z.string().meta({ description: 'In lower case, internationalised names in ASCII' }),
    autoJoinWorkspaceId: WorkspaceToJoin,
    autoJoinRole: AutoJoinRole,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  })
  .meta({ id: 'EmailDomain', description: 'A listed domain of e-mail addresses' });

const example = {
  id: 1,
  domain: 'example.com',
  autoJoinWorkspaceId: 1,
  autoJoinRole: 'GUEST',
  createdAt: '2026-01-31T09:30:00.000Z',
  updatedAt: '2026-01-31T09:30:00.000Z',
};
const wanted = { domain: 'example.com', autoJoinWorkspaceId: 1, autoJoinRole: 'GUEST' };

const oneDomain = { who: 'operator', of: { resource: 'e-mail domain', parameter: 'id' } } as const;
const path = { id: IdText };

export const emailDomainActions = {
  createEmailDomain: action({
    summary: 'List an e-mail domain',
    description: 'An invalid domain, or one that is listed already, is answered 400.',
    route: 'POST /email-domains',
    tool: FOR_OPERATORS,
    audit: { resource: 'email-domain' },
    uncontended: true,
    idempotency: { sequence: 'email_domains' },
    access: { who: 'operator' },
    body: {
      domain: Domain,
      autoJoinWorkspaceId: WorkspaceToJoin.default(null),
      autoJoinRole: AutoJoinRole.default('GUEST'),
    },
    result: EmailDomain,
    status: 201,
    example: { body: wanted, answer: example },
  }),
  listEmailDomains: action({
    summary: 'The listed e-mail domains',
    route: 'GET /email-domains',
    tool: FOR_OPERATORS,
    access: { who: 'operator' },
    query: listQuery,
    result: pageOf(EmailDomain),
    format: 'page',
    idempotent: true,
    example: { answer: [example] },
  }),
  getEmailDomain: action({
    summary: 'One e-mail domain',
    route: 'GET /email-domains/:id',
    tool: FOR_OPERATORS,
    etag: true,
    access: oneDomain,
    path,
    result: EmailDomain,
    errors: [NotFound],
    idempotent: true,
    example: { answer: example },
  }),
  updateEmailDomain: action({
    summary: 'Change an e-mail domain',
    description: 'What is left out stays. Members who have joined keep their memberships.',
    route: 'PUT /email-domains/:id',
    tool: FOR_OPERATORS,
    audit: { resource: 'email-domain' },
    etag: true,
    access: oneDomain,
    path,
    body: {
      domain: Domain.optional(),
      autoJoinWorkspaceId: WorkspaceToJoin.optional(),
      autoJoinRole: AutoJoinRole.optional(),
    },
    readOnly: ['createdAt', 'updatedAt'],
    result: EmailDomain,
    errors: [NotFound],
    example: { body: { autoJoinRole: 'MEMBER' }, answer: { ...example, autoJoinRole: 'MEMBER' } },
  }),
  removeEmailDomain: action({
    summary: 'Take an e-mail domain off the list',
    description: 'Accounts and memberships of its users stay.',
    route: 'DELETE /email-domains/:id',
    tool: FOR_OPERATORS,
    audit: { resource: 'email-domain' },
    etag: true,
    access: oneDomain,
    path,
    result: null,
    errors: [NotFound],
  }),
};
