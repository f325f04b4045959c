import { emailKey } from '../../../contract/fields.ts';
import { positionInTime } from '../../../contract/page-position.ts';
import { cursorOf, pageFrom } from '../../../contract/pages.ts';
import { type OutboxMailDocument, OutboxMailModel } from '../../../models/outbox-mail.model.ts';
import type { Params } from '../../contracts.ts';

/** The mails of the outbox, newest first. A text that was deleted is shown empty. */
export async function listOutbox({ to, limit, after }: Params<'identity.listOutbox'>) {
  const rows = await OutboxMailModel.find({
    ...(to === undefined ? {} : { toKey: emailKey(to) }),
    ...olderThan(after),
  })
    .sort({ createdAt: -1, _id: -1 })
    .limit(limit + 1)
    .lean()
    .exec();
  return pageFrom(rows, limit, showMail, keyOf);
}

const keyOf = ({ createdAt, _id }: OutboxMailDocument): string =>
  cursorOf(createdAt.getTime(), _id);

function olderThan(after: string | undefined) {
  const from = positionInTime({ after });
  if (!from) return {};
  const { time: createdAt, id } = from;
  return { $or: [{ createdAt: { $lt: createdAt } }, { createdAt, _id: { $lt: id } }] };
}

const showMail = ({ to, subject, text = '', token, createdAt }: OutboxMailDocument) => ({
  to,
  subject,
  text,
  ...(token == null ? {} : { token }),
  createdAt: createdAt.toISOString(),
});
