import { z } from 'zod';
import { action } from '../../../contract/contract.ts';
import { Email, Id, listQuery, pageOf, Timestamp } from '../../../contract/fields.ts';
import { NotFound } from '../../../contract/problem.ts';
import { MailNotResendable } from '../identity.problems.ts';
import { Mail } from './resources.ts';

/** A mail that was given up. Its text may hold a token, so it is not shown. */
const FailedMail = z.strictObject({
  id: Id,
  to: z.string(),
  subject: z.string(),
  /** Codes of the mail server alone. */
  failure: z.string(),
  attempts: z.int(),
  createdAt: Timestamp,
});
export type FailedMail = z.output<typeof FailedMail>;

export const outboxActions = {
  listOutbox: action({
    summary: 'The mails that were not sent, newest first',
    description:
      'In development there is no mail server: a person finds here the tokens for ' +
      '`POST /auth/email/verify`, which takes one with the access token of the account. ' +
      'Answers 404 to whatever did not come straight from this machine.',
    route: 'GET /dev/outbox',
    tool: { none: 'it is for the person at the machine' },
    access: { who: 'public' },
    developmentOnly: true,
    query: { to: Email.optional(), ...listQuery },
    result: pageOf(Mail),
    format: 'page',
    idempotent: true,
    example: {
      answer: [
        {
          to: 'ada@example.com',
          subject: 'Verify your e-mail address',
          text: 'Open the link to verify your e-mail address.',
          token: 'kq3vN1y0m5nZbG8yQb6m0uJ1p5r9sT2wX4zA7cE0fHg',
          createdAt: '2026-01-31T09:30:00.000Z',
        },
      ],
    },
  }),
  listFailedMails: action({
    summary: 'The mails that were given up, newest first, without their texts',
    access: { who: 'internal' },
    body: listQuery,
    result: pageOf(FailedMail),
    idempotent: true,
  }),
  resendMail: action({
    summary: 'Send a mail that was given up again, while its token has not expired',
    access: { who: 'internal' },
    body: { mailId: Id },
    result: null,
    errors: [NotFound, MailNotResendable],
  }),
};
