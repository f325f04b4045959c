import { action } from '../../../contract/contract.ts';
import { IdText, Name, NewEmail } from '../../../contract/fields.ts';
import { NotFound } from '../../../contract/problem.ts';
import { QuotaReached } from '../../../contract/quota.ts';
import { LastOwner } from '../../workspaces/workspaces.problems.ts';
import {
  DomainNotAllowed,
  EmailInUse,
  RecentSignInRequired,
  TooManyAddressChanges,
} from '../identity.problems.ts';
import { graceExample, userExample } from './examples.ts';
import { User } from './resources.ts';

/** Bytes of a request body, several times the bytes of the longest fields. Beyond it the answer is 413. */
const BODY_LIMIT = 16 * 1024;

const OF_ACCOUNTS = { none: 'people manage accounts' } as const;

export const userActions = {
  getUser: action({
    summary: 'The caller as a user',
    route: 'GET /users',
    tool: OF_ACCOUNTS,
    etag: true,
    access: { who: 'person' },
    result: User,
    errors: [NotFound],
    idempotent: true,
    example: { answer: userExample },
  }),
  updateUser: action({
    summary: "Change a user's name and address",
    description:
      'The user or an operator. Another address is not verified: a mail goes to it, which verifies it. A verified ' +
      'address goes on signing in and taking mails for a new password until the new one is verified with the ' +
      'password of the account, and gets a mail whose token undoes the change for 7 days (`POST /auth/email/undo`): ' +
      'until then no other account takes it. A change back to it is verified. The other sessions of the user end; after a change by an operator ' +
      'all of them. A change that differs from the present address only in case or Unicode form does none of ' +
      'that. A user changes the own address at most 5 times in an hour.',
    route: 'PUT /users/:id',
    tool: OF_ACCOUNTS,
    audit: { resource: 'user' },
    etag: true,
    access: { who: 'self-or-operator', parameter: 'id' },
    path: { id: IdText },
    body: { firstName: Name, lastName: Name, email: NewEmail },
    bodyLimit: BODY_LIMIT,
    result: User,
    errors: [NotFound, EmailInUse, DomainNotAllowed, TooManyAddressChanges],
    example: {
      body: { firstName: 'Ada', lastName: 'King', email: 'ada@example.com' },
      answer: { ...userExample, lastName: 'King' },
    },
  }),
  removeUser: action({
    summary: 'Delete a user',
    description:
      'The user, with a session that was signed in within the last 15 minutes, or an operator. The sessions end ' +
      'within a second, the address is free again, and workspaces without another member go. What the user did ' +
      'stays, under the name `Deleted User`. 409 while the user is the only OWNER of a workspace that has other ' +
      'members.',
    route: 'DELETE /users/:id',
    tool: OF_ACCOUNTS,
    audit: { resource: 'user' },
    etag: true,
    access: { who: 'self-or-operator', parameter: 'id' },
    path: { id: IdText },
    result: null,
    status: 204,
    errors: [NotFound, LastOwner, RecentSignInRequired],
  }),
  createUser: action({
    summary: 'Add a person to the directory',
    description:
      'Without a password: the person registers with that address to get one. An account adds 100 people in a day at ' +
      'most, unless the operator has set another number, and 5 while its own address is not verified.',
    route: 'POST /users',
    tool: OF_ACCOUNTS,
    audit: { resource: 'user' },
    uncontended: true,
    idempotency: { sequence: 'users' },
    access: { who: 'authenticated' },
    body: { firstName: Name, lastName: Name, email: NewEmail },
    readOnly: ['id'],
    result: User,
    status: 201,
    errors: [EmailInUse, QuotaReached],
    example: {
      body: {
        firstName: graceExample.firstName,
        lastName: graceExample.lastName,
        email: graceExample.email,
      },
      answer: graceExample,
    },
  }),
};
