import { emailKey } from '../../../contract/fields.ts';
import { newestFirst } from '../../../contract/page-order.ts';
import { readPage } from '../../../mixins/database/read-page.ts';
import { type OutboxMailDocument, OutboxMailModel } from '../../../models/outbox-mail.model.ts';
import type { Params } from '../../contracts.ts';

/** The mails of the outbox, newest first. A text that was deleted is shown empty. */
export function listOutbox({ to, ...position }: Params<'identity.listOutbox'>) {
  const filter = to === undefined ? {} : { toKey: emailKey(to) };
  return readPage(OutboxMailModel, { filter, order: newestFirst, position }, showMail);
}

const showMail = ({ to, subject, text = '', token, createdAt }: OutboxMailDocument) => ({
  to,
  subject,
  text,
  ...(token == null ? {} : { token }),
  createdAt: createdAt.toISOString(),
});
