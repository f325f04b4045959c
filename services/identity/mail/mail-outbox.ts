import { emailKey } from '../../../contract/fields.ts';
import { isDuplicateKey } from '../../../mixins/database/database.ts';
import { nextId } from '../../../mixins/database/ids.ts';
import {
  type OutboxMailDocument,
  OutboxMailModel,
  UNIQUE_MAIL_KEY,
} from '../../../models/outbox-mail.model.ts';
import { logger } from '../../../support/logging.ts';
import type { MailSender } from './mail-sender.ts';

/** Milliseconds of attempts to send a mail; beyond them the mail is FAILED. */
const GIVE_UP_MS = 24 * 3600 * 1000;

export interface Mail {
  /** Tells the mail from all others. A mail with the key of a stored mail is not stored again. */
  key?: string;
  to: string;
  subject: string;
  text: string;
  /** The secret in the text, which the reader returns. */
  token?: string;
  /** The time from which the mail is useless because its token expires, if before `GIVE_UP_MS`. */
  giveUpAt?: Date;
}

/**
 * Stores mails for `MailSender`, so that no request waits for a mail server. A process without a transport stores no
 * mail, because a text with a token must not stay in a production database.
 */
export class MailOutbox {
  readonly #sender: Pick<MailSender, 'wake'> | null;

  /** @param sender null in a process without a transport */
  constructor(sender: Pick<MailSender, 'wake'> | null) {
    this.#sender = sender;
  }

  /** Whether mails can be stored. Writes a warning to the log if not. */
  accepts(subject: string): boolean {
    if (this.#sender) return true;
    logger.warn({ subject }, 'A mail was not sent: there is no mail server');
    return false;
  }

  /** Stores the mail and wakes the sender; false, without a write, in a process without a transport. */
  async store({ key, to, subject, text, token, giveUpAt }: Mail): Promise<boolean> {
    if (!this.accepts(subject)) return false;
    const now = new Date();
    await insertOnce({
      _id: await nextId('outbox_mails'),
      ...(key === undefined ? {} : { key }),
      to,
      toKey: emailKey(to),
      subject,
      text,
      token: token ?? null,
      state: 'PENDING',
      attempts: 0,
      nextAttemptAt: now,
      giveUpAt: giveUpAt ?? new Date(now.getTime() + GIVE_UP_MS),
      createdAt: now,
    });
    this.wake();
    return true;
  }

  /** Wakes the sender for a mail that is due. */
  wake(): void {
    this.#sender?.wake();
  }
}

async function insertOnce(mail: OutboxMailDocument): Promise<void> {
  try {
    await OutboxMailModel.create(mail);
  } catch (error) {
    if (!isDuplicateKey(error, UNIQUE_MAIL_KEY)) throw error;
  }
}
