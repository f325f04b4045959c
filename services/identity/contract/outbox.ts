import { action } from '../../../contract/contract.ts';
import { Email, listQuery, pageOf } from '../../../contract/fields.ts';
import { Mail } from './resources.ts';

export const outboxActions = {
  listOutbox: action({
    summary: 'The mails that were not sent, newest first',
    description:
      'In development there is no mail server: a person finds here the tokens for ' +
      '`POST /auth/email/verify`, which takes one with the access token of the account. ' +
      'Answers 404 to whatever did not come straight from this machine.',
    route: 'GET /dev/outbox',
    access: { who: 'public' },
    developmentOnly: true,
    query: { to: Email.optional(), ...listQuery },
    result: pageOf(Mail),
    format: 'page',
    idempotent: true,
  }),
};
