import net from 'node:net';
import { readSmtpUrl, type SmtpServer } from '../../../environment/values/smtp-url.ts';
import { PermanentMailError } from '../../../services/identity/mail/mail-failure.ts';
import { messageIdOf, smtpTransport } from '../../../services/identity/mail/smtp-transport.ts';
import { refusal, startMailServer, stopMailServers } from '../../helpers/smtp.ts';
import { waitFor } from '../../helpers/wait.ts';

const MAIL = { id: 7, to: 'ada@example.com', subject: 'Grüße', text: 'Hello,\n\nsecret-token\n' };
const cleanUp: (() => void)[] = [];
afterEach(async () => {
  for (const end of cleanUp.splice(0)) end();
  await stopMailServers();
});

function serverAt(url: string): SmtpServer {
  const server = readSmtpUrl(url);
  if (!server) throw new Error(`${url} is no address of a mail server`);
  return server;
}
const transportTo = (server: SmtpServer) =>
  smtpTransport({ server, from: 'service@example.com', host: 'app.example.com' });
const send = (url: string, mail = MAIL, signal = new AbortController().signal) =>
  transportTo(serverAt(url)).send(mail, signal);
const failureOfSending = async (url: string, mail = MAIL): Promise<Error> =>
  send(url, mail).then(
    () => {
      throw new Error('the mail was sent');
    },
    (error: Error) => error,
  );

it('hands the mail over with the same identity at each attempt', async () => {
  const { url, taken } = await startMailServer();
  await send(url);
  await send(url);
  expect(taken.map(({ messageId }) => messageId)).toEqual(
    Array(2).fill('<mail.7@app.example.com>'),
  );
  expect(taken[0]?.to).toEqual([MAIL.to]);
  expect(taken[0]?.source).toMatch(/^From: service@example\.com\r\nTo: ada@example\.com\r\n/m);
  expect(taken[0]?.source).toContain('secret-token');
  expect(taken[0]?.source).toMatch(/^Auto-Submitted: auto-generated\r$/m);
  expect(messageIdOf(8, 'a.example')).toBe('<mail.8@a.example>');
});

it('knows a recipient or a message that is refused for good', async () => {
  const ofRecipient = await startMailServer({
    onRcptTo: (_address, _session, done) => done(refusal(550, 'no ada@example.com here')),
  });
  const recipient = await failureOfSending(ofRecipient.url);
  expect(recipient).toBeInstanceOf(PermanentMailError);
  expect(recipient.message).toBe('550 EENVELOPE at RCPT TO');

  const ofMessage = await startMailServer({
    onMessage: () => Promise.reject(refusal(554, 'spam: secret-token')),
  });
  const message = await failureOfSending(ofMessage.url);
  expect(message).toBeInstanceOf(PermanentMailError);
  expect(message.message).toBe('554 EMESSAGE at DATA');
});

it.each([
  [
    'a recipient',
    { onRcptTo: (_a: unknown, _s: unknown, done: Done) => done(refusal(451, 'later')) },
  ],
  [
    'a sender',
    { onMailFrom: (_a: unknown, _s: unknown, done: Done) => done(refusal(550, 'not you')) },
  ],
  ['a message', { onMessage: () => Promise.reject(refusal(452, 'full')) }],
  ['a client', { onConnect: (_s: unknown, done: Done) => done(refusal(554, 'not now')) }],
])('lets a later attempt follow where %s is refused for now', async (_, options) => {
  const { url } = await startMailServer(options);
  const failure = await failureOfSending(url);
  expect(failure).not.toBeInstanceOf(PermanentMailError);
  expect(failure.message).not.toMatch(/later|not you|full|not now/);
});
type Done = (error?: Error) => void;

it('lets a later attempt follow where no server listens', async () => {
  const { url, stop } = await startMailServer();
  await stop();
  expect(await failureOfSending(url)).not.toBeInstanceOf(PermanentMailError);
});

it('signs in, and a refused sign-in is no refusal of the mail', async () => {
  const { port, taken } = await startMailServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      done(password === 'p@ss' ? null : refusal(535, 'no'), { user: username ?? '' }),
  });
  await send(`smtp://ada:p%40ss@127.0.0.1:${port}`);
  expect(taken[0]?.user).toBe('ada');
  const failure = await failureOfSending(`smtp://ada:wrong@127.0.0.1:${port}`);
  expect(failure).not.toBeInstanceOf(PermanentMailError);
  expect(failure.message).toBe('535 EAUTH at AUTH PLAIN');
});

it('sends neither mail nor password over a connection without TLS to another machine', async () => {
  const commands: string[] = [];
  const plain = net.createServer((socket) => {
    socket.write('220 ready\r\n');
    socket.on('data', (data) => {
      commands.push(data.toString());
      socket.write(/^EHLO/.test(data.toString()) ? '250-a\r\n250 AUTH PLAIN\r\n' : '502 no\r\n');
    });
    socket.on('error', () => undefined);
  });
  const port = await listen(plain);
  const remote = { ...serverAt(`smtp://ada:p@127.0.0.1:${port}`), mayBePlain: false };
  await expect(transportTo(remote).send(MAIL, new AbortController().signal)).rejects.toThrow(
    /ETLS/,
  );
  expect(commands.join('')).not.toMatch(/AUTH|MAIL|RCPT|DATA/);
  expect(readSmtpUrl('smtp://mail.example.com')).toMatchObject({ mayBePlain: false, port: 587 });
});

it('refuses a certificate that no authority has signed', async () => {
  const { port, taken } = await startMailServer({ disabledCommands: ['AUTH'] }); // its own certificate
  const failure = await failureOfSending(`smtp://127.0.0.1:${port}`);
  expect(failure.message).toMatch(/ETLS|ESOCKET/);
  expect(failure).not.toBeInstanceOf(PermanentMailError);
  expect(taken).toEqual([]);
});

it('ends the connection to a server that hangs', async () => {
  let closed = false;
  const hanging = net.createServer((socket) => {
    socket.on('close', () => {
      closed = true;
    });
    socket.on('error', () => undefined);
    socket.resume(); // a socket that nobody reads does not see its end
    socket.write('220 ready\r\n');
  });
  const aborting = new AbortController();
  const sending = send(`smtp://127.0.0.1:${await listen(hanging)}`, MAIL, aborting.signal);
  sending.catch(() => undefined);
  setTimeout(() => aborting.abort(new Error('too late')), 50);
  await expect(sending).rejects.toThrow('too late');
  await waitFor('the end of the connection', () => closed);
});

it.each([
  { ...MAIL, to: 'ada@example.com\r\nBcc: eve@example.com' },
  { ...MAIL, to: 'ada@example.com, eve@example.com' },
  { ...MAIL, to: 'Ada <ada@example.com>' },
  { ...MAIL, subject: 'Hello\r\nBcc: eve@example.com' },
  { ...MAIL, subject: 'Hello\u2028Bcc: eve@example.com' },
])('refuses the address or subject of %j', async (mail) => {
  const { url, taken } = await startMailServer();
  expect(await failureOfSending(url, mail)).toBeInstanceOf(PermanentMailError);
  expect(taken).toEqual([]);
});

const listen = (server: net.Server): Promise<number> =>
  new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      cleanUp.push(() => server.close());
      const address = server.address();
      resolve(address && typeof address !== 'string' ? address.port : 0);
    });
  });
