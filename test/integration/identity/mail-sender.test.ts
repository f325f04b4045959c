import { databaseCommand } from '../../../mixins/database/commands.ts';
import { nextId } from '../../../mixins/database/ids.ts';
import { EmailTokenModel } from '../../../models/email-token.model.ts';
import { MailSlotModel } from '../../../models/mail-slot.model.ts';
import { OutboxMailModel } from '../../../models/outbox-mail.model.ts';
import { UserModel } from '../../../models/user.model.ts';
import { mailVerification } from '../../../services/identity/email-verification/verification-mail.ts';
import {
  dropExpiredTexts,
  listFailedMails,
  resendMail,
} from '../../../services/identity/mail/failed-mails.ts';
import { PermanentMailError } from '../../../services/identity/mail/mail-failure.ts';
import { MailOutbox } from '../../../services/identity/mail/mail-outbox.ts';
import { MailSender } from '../../../services/identity/mail/mail-sender.ts';
import type {
  MailTransport,
  OutgoingMail,
} from '../../../services/identity/mail/mail-transport.ts';
import { listOutbox } from '../../../services/identity/mail/outbox.ts';
import { insertUser } from '../../../services/identity/users/users.ts';
import { logger } from '../../../support/logging.ts';
import { changeContext } from '../../helpers/change-context.ts';
import { useDatabase } from '../../helpers/database.ts';
import { waitFor } from '../../helpers/wait.ts';

const MAIL = { to: 'Ada@example.com', subject: 'Hello', text: 'the secret', token: 'secret' };
const WRITES: ReadonlySet<string> = new Set(['insert', 'update', 'delete', 'findAndModify']);
let writes = 0;

databaseCommand.subscribe(({ command }) => {
  if (WRITES.has(command)) writes++;
});
useDatabase([OutboxMailModel, UserModel]);
afterEach(async () => {
  jest.restoreAllMocks();
  await OutboxMailModel.deleteMany();
});

/** A process that sends by `send`, and the mails that its transport was given. */
function processWith(send: (mail: OutgoingMail) => Promise<void> = async () => undefined) {
  const given: OutgoingMail[] = [];
  const transport: MailTransport = {
    send(mail) {
      given.push(mail);
      return send(mail);
    },
  };
  const sender = new MailSender(transport);
  return { given, sender, mails: new MailOutbox(sender) };
}
const find = async () => (await OutboxMailModel.findOne().lean()) ?? undefined;
const inState = (state: string) =>
  waitFor(`a mail that is ${state}`, async () => {
    const mail = await find();
    return mail?.state === state ? mail : undefined;
  });
/** As if the next attempt were due. */
const letDue = () =>
  OutboxMailModel.updateMany({ state: 'PENDING' }, { nextAttemptAt: new Date(0) });

it('is sent at once by the process that stored it, and its text is deleted then', async () => {
  const { given, mails } = processWith();
  expect(await mails.store(MAIL)).toBe(true);
  const mail = await inState('SENT');
  const { to, subject, text } = MAIL;
  expect(given).toEqual([expect.objectContaining({ id: mail._id, to, subject, text })]);
  expect(JSON.stringify(mail)).not.toContain('secret');
  expect(mail).not.toHaveProperty('nextAttemptAt');
  const shown = { to, subject, text: '', createdAt: expect.any(String) };
  expect((await listOutbox({ limit: 10 })).items).toEqual([shown]);
});

it('stays readable where the transport keeps it', async () => {
  const sender = new MailSender({ send: async () => undefined, keepsText: true });
  await new MailOutbox(sender).store(MAIL);
  expect(await inState('SENT')).toMatchObject({ text: MAIL.text, token: MAIL.token });
});

it('is not waited for by the request that causes it, which writes five times at most', async () => {
  const person = { email: 'waiting@example.com', firstName: 'Ada', lastName: 'Lovelace' };
  const user = await insertUser(person, { passwordHash: 'hash' }, changeContext());
  if (!user) throw new Error('the address is free');
  await nextId('outbox_mails'); // so that ids are there
  writes = 0;
  await mailVerification(user, new MailOutbox(idle));
  expect(writes).toBeLessThanOrEqual(5);

  await MailSlotModel.deleteMany();
  const { given, mails } = processWith(() => new Promise(() => undefined));
  await mailVerification(user, mails);
  await waitFor('an attempt', () => given.length > 0);
  expect(await EmailTokenModel.countDocuments({ mailedAt: { $ne: null } })).toBe(2);
});
const idle = { wake: () => undefined };

it('is sent once by several processes', async () => {
  const processes = [processWith(), processWith(), processWith()];
  const storing = new MailOutbox(idle);
  for (let n = 0; n < 30; n++) await storing.store({ ...MAIL, subject: `mail ${n}` });
  for (const { sender } of processes) sender.wake();
  await waitFor(
    'all mails',
    async () => (await OutboxMailModel.countDocuments({ state: 'SENT' })) === 30,
  );
  const subjects = processes.flatMap(({ given }) => given.map(({ subject }) => subject));
  expect(subjects).toHaveLength(30);
  expect(new Set(subjects).size).toBe(30);
});

it('does not wait for another that its server is slow with', async () => {
  const { mails } = processWith(({ subject }) =>
    subject === 'slow' ? new Promise(() => undefined) : Promise.resolve(),
  );
  for (let n = 0; n < 3; n++) await mails.store({ ...MAIL, subject: 'slow' });
  await mails.store(MAIL);
  await waitFor('the other mail', async () =>
    OutboxMailModel.exists({ subject: MAIL.subject, state: 'SENT' }),
  );
});

it('is tried again after a failure, later and later', async () => {
  let failures = 3;
  const { given, sender, mails } = processWith(async () => {
    if (failures-- > 0) throw new Error('451 try again later');
  });
  await mails.store(MAIL);
  for (let attempt = 1; attempt <= 3; attempt++) {
    const full = 15_000 * 2 ** (attempt - 1);
    await waitFor('the backoff', async () => {
      const { attempts, failure, nextAttemptAt } = (await find()) ?? {};
      const wait = Number(nextAttemptAt) - Date.now();
      return attempts === attempt && failure && wait > full / 2 - 5_000 && wait <= full;
    });
    sender.wake(); // not due yet
    expect(await find()).toMatchObject({ text: MAIL.text, failure: '451 try again later' });
    await letDue();
    sender.wake();
  }
  await inState('SENT');
  expect(given).toHaveLength(4);
});

it('is given up when the next attempt would come after its end, and loses its text then', async () => {
  const warn = jest.spyOn(logger, 'warn').mockReturnValue();
  const { given, mails } = processWith(() => Promise.reject(new Error('550 no such mailbox')));
  await mails.store({ ...MAIL, giveUpAt: new Date(Date.now() + 5_000) });
  const mail = await inState('FAILED');
  expect(mail).toMatchObject({ to: MAIL.to, attempts: 1, failure: '550 no such mailbox' });
  const { items } = await listFailedMails({ limit: 10 });
  const [failure, createdAt] = ['550 no such mailbox', expect.any(String)];
  const { to, subject } = MAIL;
  expect(items).toEqual([{ id: mail._id, to, subject, failure, attempts: 1, createdAt }]);
  await dropExpiredTexts();
  expect(await find()).toMatchObject({ text: MAIL.text, token: MAIL.token });
  await OutboxMailModel.updateOne({}, { giveUpAt: new Date() });
  await dropExpiredTexts();
  expect(JSON.stringify(await find())).not.toContain('secret');
  await expect(resendMail(mail._id, mails)).rejects.toThrow('POST /auth/password/forgot');
  expect(given).toHaveLength(1);
  expect(warn).toHaveBeenCalledWith(
    expect.objectContaining({ mailId: mail._id }),
    expect.any(String),
  );
});

it('is sent again once by an operator after a refusal for good, as the same mail', async () => {
  jest.spyOn(logger, 'warn').mockReturnValue();
  let refuses = true;
  const { given, mails } = processWith(async () => {
    if (refuses) throw new PermanentMailError('550 EENVELOPE at RCPT TO');
  });
  await mails.store(MAIL);
  const { _id } = await inState('FAILED');
  refuses = false;
  const twice = await Promise.allSettled([resendMail(_id, mails), resendMail(_id, mails)]);
  expect(twice.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  const sent = await inState('SENT');
  expect(given.map(({ id, text }) => [id, text])).toEqual(Array(2).fill([_id, MAIL.text]));
  expect(JSON.stringify(sent)).not.toContain('secret');
  await expect(resendMail(_id, mails)).rejects.toThrow('The mail is SENT.');
  await expect(resendMail(_id + 1, mails)).rejects.toThrow('There is no mail');
});

it('is given up a day after it was stored', async () => {
  await new MailOutbox(idle).store(MAIL);
  const { giveUpAt, createdAt } = (await find()) ?? {};
  expect(Number(giveUpAt) - Number(createdAt)).toBe(24 * 3600 * 1000);
});

it('is not sent any more once it is useless', async () => {
  jest.spyOn(logger, 'warn').mockReturnValue();
  const { given, sender } = processWith();
  await new MailOutbox(idle).store({ ...MAIL, giveUpAt: new Date(Date.now() - 1) });
  sender.wake();
  await inState('FAILED');
  expect(given).toEqual([]);
});

it('is sent by another process after the lease of one that died, whose late end changes nothing', async () => {
  const cutOff = Promise.withResolvers<void>();
  const [dying, other] = [processWith(() => cutOff.promise), processWith()];
  await dying.mails.store(MAIL);
  await waitFor('the lease', () => dying.given.length > 0);
  const lease = Number((await find())?.nextAttemptAt) - Date.now();
  expect(lease).toBeGreaterThan(60_000);
  other.sender.wake();
  await letDue();
  other.sender.wake();
  const sent = await inState('SENT');
  expect(other.given).toHaveLength(1);
  const before = writes;
  cutOff.reject(new Error('the connection was lost'));
  await waitFor('the end of the first attempt', () => writes > before);
  expect(await find()).toEqual(sent);
});

it('is not stored without a transport', async () => {
  const warn = jest.spyOn(logger, 'warn').mockReturnValue();
  writes = 0;
  expect(await new MailOutbox(null).store(MAIL)).toBe(false);
  expect(warn).toHaveBeenCalledWith({ subject: MAIL.subject }, expect.any(String));
  expect(writes).toBe(0);
});
