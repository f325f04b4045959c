import type { Mail, MailOutbox } from './mail-outbox.ts';
import { type MailKind, storeMailInSlot } from './mail-slot.ts';

/** The stored record of a mailed token. */
interface TokenRecord {
  store(): Promise<unknown>;
  drop(): Promise<unknown>;
  /** Runs once the mail is stored. */
  markMailed?(): Promise<unknown>;
}

interface TokenMail {
  kind: MailKind;
  emailKey: string;
  token: TokenRecord;
  mail: Mail;
}

/**
 * Stores a mail with a token, unless a mail of the same kind was stored for the address within the hour. The token is
 * stored before the mail, so that every mailed token works, and dropped when the mail cannot be stored. Returns whether
 * the mail was stored.
 */
export async function storeTokenMail(
  { kind, emailKey, token, mail }: TokenMail,
  mails: MailOutbox,
): Promise<boolean> {
  if (!mails.accepts(mail.subject)) return false;
  return storeMailInSlot({
    kind,
    emailKey,
    store: () => storeAfterToken(token, mail, mails),
    onStored: async () => token.markMailed?.(),
  });
}

async function storeAfterToken(
  token: TokenRecord,
  mail: Mail,
  mails: MailOutbox,
): Promise<boolean> {
  await token.store();
  let stored = false;
  try {
    stored = await mails.store(mail);
  } finally {
    if (!stored) await token.drop();
  }
  return stored;
}
