import { isDevelopment } from '../../../environment/environment.ts';

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
  /** Resolves when a mail server has accepted the mail; rejects after a failed attempt. */
  send(mail: OutgoingMail): Promise<void>;
  /** Whether the text of a sent mail stays in the outbox. Never in production: the text holds tokens. */
  readonly keepsText?: true;
}

/** Development's transport: each mail stays in the outbox, where `GET /dev/outbox` shows it. */
const keptToBeRead: MailTransport = { send: async () => undefined, keepsText: true };

/** The transport of this process; null in production, where no mail server can be configured yet. */
export const mailTransport = (): MailTransport | null => (isDevelopment ? keptToBeRead : null);
