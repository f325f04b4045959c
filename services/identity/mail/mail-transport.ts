import { environment, isDevelopment, publicUrl } from '../../../environment/environment.ts';
import { smtpTransport } from './smtp-transport.ts';

/** The fields of a mail for the transport. */
export interface OutgoingMail {
  /** Equal in each attempt to send the same mail. */
  id: number;
  to: string;
  subject: string;
  text: string;
}

/** The transport that sends mails to a mail server. */
export interface MailTransport {
  /** Resolves when a mail server has accepted the mail; rejects after a failed attempt. The signal ends an attempt. */
  send(mail: OutgoingMail, signal: AbortSignal): Promise<void>;
  /** Whether the text of a sent mail stays in the outbox. Never in production: the text holds tokens. */
  readonly keepsText?: true;
}

/** Development's transport: each mail stays in the outbox, where `GET /dev/outbox` shows it. */
const keptToBeRead: MailTransport = { send: async () => undefined, keepsText: true };

/** The transport of this process: SMTP where `SMTP_URL` is set, otherwise development's; null for neither. */
export function mailTransport(): MailTransport | null {
  const { SMTP_URL: server, MAIL_FROM: from } = environment;
  if (server && from) return smtpTransport({ server, from, host: new URL(publicUrl).hostname });
  return isDevelopment ? keptToBeRead : null;
}
