import { action } from '../../../contract/contract.ts';
import { Name, NewEmail } from '../../../contract/fields.ts';
import { NotFound } from '../../../contract/problem.ts';
import { EmailInUse } from '../identity.problems.ts';
import { userExample } from './examples.ts';
import { User } from './resources.ts';

export const userActions = {
  getUser: action({
    summary: 'The caller as a user',
    route: 'GET /users',
    access: { who: 'person' },
    result: User,
    errors: [NotFound],
    idempotent: true,
    example: { answer: userExample },
  }),
  createUser: action({
    summary: 'Add a person to the directory',
    description: 'Without a password: the person registers with that address to get one.',
    route: 'POST /users',
    audit: { resource: 'user' },
    uncontended: true,
    idempotency: { sequence: 'users' },
    access: { who: 'authenticated' },
    body: { firstName: Name, lastName: Name, email: NewEmail },
    readOnly: ['id'],
    result: User,
    status: 201,
    errors: [EmailInUse],
    example: {
      body: { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.com' },
      answer: userExample,
    },
  }),
};
