import { emailKey } from '../../mixins/fields.ts';
import { cursorOf, pageFrom, readCursor } from '../../mixins/lists.ts';
import { invalidRequest } from '../../mixins/problem.ts';
import { type OutboxMailDocument, OutboxMailModel } from '../../models/outbox-mail.model.ts';

interface OutboxQuery {
  to?: string | undefined;
  limit: number;
  after?: string | undefined;
}

/** The mails kept, newest first. */
export async function listOutbox({ to, limit, after }: OutboxQuery) {
  const rows = await OutboxMailModel.find({
    ...(to === undefined ? {} : { toKey: emailKey(to) }),
    ...(after === undefined ? {} : olderThan(after)),
  })
    .sort({ createdAt: -1, _id: -1 })
    .limit(limit + 1)
    .lean()
    .exec();
  return pageFrom(rows, limit, showMail, keyOf);
}

const keyOf = ({ createdAt, _id }: OutboxMailDocument): string =>
  cursorOf(createdAt.getTime(), _id);

function olderThan(cursor: string) {
  const [time, id] = readCursor(cursor, 'number', 'number') ?? [];
  const createdAt = new Date(time ?? Number.NaN);
  if (Number.isNaN(createdAt.getTime())) {
    const message = 'must be the cursor of a Link header';
    throw invalidRequest([{ in: 'query', path: 'after', code: 'invalid_cursor', message }]);
  }
  return { $or: [{ createdAt: { $lt: createdAt } }, { createdAt, _id: { $lt: Number(id) } }] };
}

const showMail = ({ to, subject, text, token, createdAt }: OutboxMailDocument) => ({
  to,
  subject,
  text,
  ...(token === null ? {} : { token }),
  createdAt: createdAt.toISOString(),
});
