import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import { NewEmail } from '../../../contract/fields.ts';
import type { SmtpServer } from '../../../environment/values/smtp-url.ts';
import { failureOf, isRefusal, PermanentMailError } from './mail-failure.ts';
import type { MailTransport, OutgoingMail } from './mail-transport.ts';

/** Milliseconds for the name look-up, the connection and the greeting, each. Beyond them the attempt fails. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Milliseconds without a byte from the server. Beyond them the attempt fails. */
const IDLE_TIMEOUT_MS = 20_000;
/** Bytes of one reply of the server. A longer reply fails the attempt. */
const MAX_REPLY_BYTES = 64 * 1024;

interface SmtpSettings {
  server: SmtpServer;
  /** The address of the sender. */
  from: string;
  /** The host of the service, as in `PUBLIC_URL`, which names the mails. */
  host: string;
}

/** The transport over SMTP (RFC 5321), with one connection for each attempt. */
export const smtpTransport = (settings: SmtpSettings): MailTransport => ({
  async send(mail, signal) {
    const message = await messageOf(mail, settings);
    const { default: Connection } = await import('nodemailer/lib/smtp-connection');
    const connection = new Connection(optionsOf(settings.server));
    try {
      await deliver(connection, { mail, message, settings, signal });
    } catch (error) {
      const failure = failureOf(error);
      throw isRefusal(error) ? new PermanentMailError(failure) : new Error(failure);
    }
  },
});

/** The connection's options. A certificate must be valid for the host, whether TLS comes at once or by STARTTLS. */
const optionsOf = ({ host, port, startsWithTls, mayBePlain }: SmtpServer) => ({
  host,
  port,
  secure: startsWithTls,
  requireTLS: !mayBePlain,
  tls: { minVersion: 'TLSv1.2' as const },
  connectionTimeout: CONNECT_TIMEOUT_MS,
  greetingTimeout: CONNECT_TIMEOUT_MS,
  dnsTimeout: CONNECT_TIMEOUT_MS,
  socketTimeout: IDLE_TIMEOUT_MS,
  socketCloseTimeout: 1000,
  maxResponseSize: MAX_REPLY_BYTES,
});

/** The identity of a mail, equal in each attempt, by which a mailbox recognises a repeated mail. */
export const messageIdOf = (id: number, host: string): string => `<mail.${id}@${host}>`;

/** The message of RFC 5322. Throws for an address or a subject that could add a header or a recipient. */
async function messageOf(mail: OutgoingMail, { from, host }: SmtpSettings): Promise<Buffer> {
  if (NewEmail.safeParse(mail.to).data !== mail.to) {
    throw new PermanentMailError('the address is not an e-mail address');
  }
  if (/\p{Cc}|\u2028|\u2029/u.test(mail.subject)) {
    throw new PermanentMailError('the subject has control characters');
  }
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const composer = new MailComposer({
    from: { name: '', address: from },
    to: { name: '', address: mail.to },
    subject: mail.subject,
    text: mail.text,
    messageId: messageIdOf(mail.id, host),
    headers: { 'Auto-Submitted': 'auto-generated' }, // RFC 3834: no out-of-office reply
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}

interface Delivery {
  mail: OutgoingMail;
  message: Buffer;
  settings: SmtpSettings;
  signal: AbortSignal;
}

/** Delivers a message over a new connection, which the signal closes whatever the server does. */
async function deliver(connection: SMTPConnection, delivery: Delivery): Promise<void> {
  const { mail, message, signal, settings } = delivery;
  const { server, from } = settings;
  const { promise: failed, reject } = Promise.withResolvers<never>();
  failed.catch(() => undefined);
  connection.on('error', reject);
  connection.once('end', () => reject(new Error('the server has closed the connection')));
  const abort = () => {
    reject(signal.reason);
    connection.close();
  };
  signal.addEventListener('abort', abort);
  try {
    signal.throwIfAborted();
    const step = (run: (done: Done) => void) => Promise.race([failed, promiseOf(run)]);
    await step((done) => connection.connect(done));
    if (server.auth) await step((done) => connection.login({ ...server.auth }, done));
    await step((done) => connection.send({ from, to: [mail.to] }, message, done));
    connection.quit();
  } catch (error) {
    connection.close();
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

type Done = (error?: Error | null) => void;

const promiseOf = (run: (done: Done) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    run((error) => (error ? reject(error) : resolve()));
  });
