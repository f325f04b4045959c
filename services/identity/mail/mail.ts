import { emailKey } from '../../../contract/fields.ts';
import { isDevelopment } from '../../../environment/environment.ts';
import { nextId } from '../../../mixins/database/ids.ts';
import { OutboxMailModel } from '../../../models/outbox-mail.model.ts';
import { logger } from '../../../support/logging.ts';

export interface Mail {
  to: string;
  subject: string;
  text: string;
  /** What the text asks to be sent back. */
  token?: string;
}

/**
 * Whether the mail was handed over. It is kept for a developer to read; nothing here may lie in a
 * database of production.
 */
export async function sendMail({ to, subject, text, token }: Mail): Promise<boolean> {
  if (!isDevelopment) {
    logger.warn({ subject }, 'A mail was not sent: there is no mail server');
    return false;
  }
  await OutboxMailModel.create({
    _id: await nextId('outbox_mails'),
    to,
    toKey: emailKey(to),
    subject,
    text,
    token: token ?? null,
    createdAt: new Date(),
  });
  return true;
}
