import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** A mail that a mail server has taken. */
export interface TakenMail {
  to: string[];
  secure: boolean;
  user: string | undefined;
  /** The message as it came: headers and body. */
  source: string;
  messageId: string;
}

export interface TestMailServer {
  readonly port: number;
  readonly url: string;
  /** Every message that was sent to the server, refused ones as well. */
  readonly taken: TakenMail[];
  stop(): Promise<void>;
}

const open = new Set<SMTPServer>();

/** Stops every mail server that a test left. Call it in `afterEach`. */
export async function stopMailServers(): Promise<void> {
  await Promise.all([...open].map(stop));
}

const stop = (server: SMTPServer): Promise<void> =>
  new Promise((resolve) => {
    open.delete(server);
    server.close(() => resolve());
  });

interface MailServerOptions extends SMTPServerOptions {
  port?: number;
  /** Answers a message; a thrown Error with a `responseCode` refuses it. */
  onMessage?: (mail: TakenMail) => Promise<void> | void;
}

/** Starts a real mail server on this machine, without TLS and sign-in unless the options ask for them. */
export async function startMailServer(options: MailServerOptions = {}): Promise<TestMailServer> {
  const { port = 0, onMessage, ...rest } = options;
  const taken: TakenMail[] = [];
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    logger: false,
    closeTimeout: 100,
    ...rest,
    onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', async () => {
        const source = Buffer.concat(chunks).toString();
        const mail = {
          to: session.envelope.rcptTo.map(({ address }) => address),
          secure: session.secure,
          user: session.user,
          source,
          messageId: /^message-id: *(\S+)/im.exec(source)?.[1] ?? '',
        };
        taken.push(mail);
        try {
          await onMessage?.(mail);
          callback();
        } catch (error) {
          callback(error as Error);
        }
      });
    },
  });
  server.on('error', () => undefined); // of a client that hangs up
  open.add(server);
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.server.address();
  if (!address || typeof address === 'string') throw new Error('the mail server has no port');
  return {
    port: address.port,
    url: `smtp://127.0.0.1:${address.port}`,
    taken,
    stop: () => stop(server),
  };
}

/** A refusal by a mail server, such as 550. */
export const refusal = (responseCode: number, text: string): Error =>
  Object.assign(new Error(text), { responseCode });
