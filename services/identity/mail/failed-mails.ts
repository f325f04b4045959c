import { newestFirst } from '../../../contract/page-order.ts';
import { NotFound, Problem } from '../../../contract/problem.ts';
import { readPage } from '../../../mixins/database/read-page.ts';
import { type OutboxMailDocument, OutboxMailModel } from '../../../models/outbox-mail.model.ts';
import type { Params } from '../../contracts.ts';
import { MailNotResendable } from '../identity.problems.ts';
import type { MailOutbox } from './mail-outbox.ts';

/** The FAILED mails, newest first, without text and token. */
export function listFailedMails(position: Params<'identity.listFailedMails'>) {
  const filter = { state: 'FAILED' as const };
  return readPage(OutboxMailModel, { filter, order: newestFirst, position }, showFailed);
}

const showFailed = (mail: OutboxMailDocument) => ({
  id: mail._id,
  to: mail.to,
  subject: mail.subject,
  failure: mail.failure ?? '',
  attempts: mail.attempts ?? 0,
  createdAt: mail.createdAt.toISOString(),
});

/**
 * Makes a FAILED mail PENDING again, as the same mail, and wakes the sender. Throws 404 for an unknown mail and 409 for a
 * mail in another state or without a text.
 */
export async function resendMail(_id: number, mails: MailOutbox): Promise<void> {
  const now = new Date();
  const { matchedCount } = await OutboxMailModel.updateOne(
    { _id, state: 'FAILED', text: { $exists: true }, giveUpAt: { $gt: now } },
    { $set: { state: 'PENDING', nextAttemptAt: now } },
  );
  if (matchedCount === 0) throw await refusalOf(_id);
  mails.wake();
}

async function refusalOf(_id: number): Promise<Problem> {
  const mail = await OutboxMailModel.findById(_id).lean().exec();
  if (!mail) return new Problem(NotFound, `There is no mail ${_id}.`);
  if (mail.state !== 'FAILED') {
    return new Problem(MailNotResendable, `The mail is ${mail.state}.`);
  }
  const again =
    'A new one is made by POST /auth/password/forgot, POST /auth/sign-in of an unverified address, or POST /workspaces/invitations/{id}/resend.';
  return new Problem(MailNotResendable, `The mail, or its token, has expired. ${again}`);
}

/** Deletes the texts of FAILED mails whose tokens have expired. */
export async function dropExpiredTexts(): Promise<void> {
  await OutboxMailModel.updateMany(
    { state: 'FAILED', giveUpAt: { $lte: new Date() }, text: { $exists: true } },
    { $unset: { text: 1, token: 1 } },
  );
}
