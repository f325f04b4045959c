import { action } from '../../../mixins/contract.ts';
import { Email, listQuery, pageOf } from '../../../mixins/fields.ts';
import { Mail } from './resources.ts';

export const outboxActions = {
  listOutbox: action({
    summary: 'The mails that were not sent, newest first',
    description:
      'In development there is no mail server: a person finds the tokens for verification here. ' +
      'Answers 404 to whatever did not come straight from this machine.',
    route: 'GET /dev/outbox',
    access: { who: 'public' },
    developmentOnly: true,
    query: { to: Email.optional(), ...listQuery },
    result: pageOf(Mail),
    answer: 'page',
    repeatable: true,
  }),
};
