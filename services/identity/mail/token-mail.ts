import { type Mail, sendMail } from './mail.ts';

interface TokenRecord {
  keep(): Promise<unknown>;
  drop(): Promise<unknown>;
}

/**
 * Sends a mail with a token that is kept before, so that whoever gets the mail can use it. A token whose
 * mail was not handed over, or failed, is dropped again.
 */
export async function sendWithToken(token: TokenRecord, mail: Mail): Promise<boolean> {
  await token.keep();
  let sent = false;
  try {
    sent = await sendMail(mail);
  } finally {
    if (!sent) await token.drop();
  }
  return sent;
}
