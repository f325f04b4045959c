import { EmailTokenModel } from '../../../models/email-token.model.ts';
import { MailSlotModel } from '../../../models/mail-slot.model.ts';
import { OutboxMailModel } from '../../../models/outbox-mail.model.ts';
import { UserModel } from '../../../models/user.model.ts';
import { verifyEmail } from '../../../services/identity/email-verification/verify-email.ts';
import { MailOutbox } from '../../../services/identity/mail/mail-outbox.ts';
import { signIn } from '../../../services/identity/sessions/sign-in.ts';
import { register } from '../../../services/identity/users/register.ts';
import { insertUser } from '../../../services/identity/users/users.ts';
import { logger } from '../../../support/logging.ts';
import { testCall } from '../../helpers/call-context.ts';
import { changeContext } from '../../helpers/change-context.ts';
import { useDatabase } from '../../helpers/database.ts';
import { waitFor } from '../../helpers/wait.ts';

jest.mock('../../../services/identity/sessions/session.ts', () => ({
  ...jest.requireActual<object>('../../../services/identity/sessions/session.ts'),
  openSession: jest.fn(() => 'open'),
}));

const ada = { email: 'ada@example.com', password: 'seven green kettles' };
const person = { ...ada, firstName: 'Ada', lastName: 'Lovelace' };
const BY_GRACE = changeContext({ actor: { type: 'person', id: 1, name: 'Grace Hopper' } });

useDatabase([UserModel]);
afterEach(async () => {
  jest.restoreAllMocks();
  await Promise.all(
    [UserModel, EmailTokenModel, MailSlotModel, OutboxMailModel].map((all) => all.deleteMany()),
  );
});

const NO_MAIL_SERVER = { mails: new MailOutbox(null) };
const tokens = async () =>
  (await OutboxMailModel.find().sort({ _id: 1 }).lean()).map(({ token }) => token ?? '');

it('is asked for at the next sign-in when no mail could be sent, and once while a mail counts', async () => {
  jest.spyOn(OutboxMailModel, 'create').mockRejectedValueOnce(new Error('away'));
  const error = jest.spyOn(logger, 'error').mockReturnValue();
  expect(await register(person, testCall())).toBe('open');
  expect(error).toHaveBeenCalledTimes(1);
  expect(await tokens()).toEqual([]);

  await signIn(ada, testCall());
  await signIn(ada, testCall());
  expect(await tokens()).toHaveLength(1);

  await EmailTokenModel.updateMany({}, { expiresAt: new Date(0) });
  await signIn(ada, testCall());
  expect(await tokens()).toHaveLength(1); // within the hour
  await MailSlotModel.updateMany({}, { freeAt: new Date(0) });
  await signIn(ada, testCall());
  const [, token = ''] = await tokens();
  await verifyEmail({ token, password: ada.password }, testCall());
  await signIn(ada, testCall());
  expect(await tokens()).toHaveLength(2);
});

it('is asked for at the next sign-in where there was no mail server, and no token is kept without one', async () => {
  const warn = jest.spyOn(logger, 'warn').mockReturnValue();
  await register(person, testCall(NO_MAIL_SERVER));
  await signIn(ada, testCall(NO_MAIL_SERVER));
  expect(warn).toHaveBeenCalledTimes(2);
  expect(await EmailTokenModel.countDocuments()).toBe(0);

  await signIn(ada, testCall());
  expect(await tokens()).toHaveLength(1);
  expect(await EmailTokenModel.countDocuments()).toBe(1);
});

it('keeps no token that confirms a registration when no mail went out', async () => {
  await insertUser(person, { passwordHash: null }, BY_GRACE);
  jest.spyOn(logger, 'warn').mockReturnValue();
  expect(await register(person, testCall(NO_MAIL_SERVER))).toEqual({ verification: 'mailed' });
  expect(await EmailTokenModel.countDocuments()).toBe(0);
});

it('fails no correct sign-in when the mail fails, and is asked for at the next', async () => {
  jest.spyOn(logger, 'warn').mockReturnValue();
  await register(person, testCall(NO_MAIL_SERVER));
  const away = new Error('away');
  jest.spyOn(OutboxMailModel, 'create').mockRejectedValueOnce(away);
  const error = jest.spyOn(logger, 'error').mockReturnValue();
  expect(await signIn(ada, testCall())).toBe('open');
  expect(error).toHaveBeenCalledWith({ err: away }, expect.any(String));
  expect(await tokens()).toEqual([]);

  expect(await signIn(ada, testCall())).toBe('open');
  expect(await tokens()).toHaveLength(1);
});

it('goes to the address of a directory entry five times an hour, however many register at once', async () => {
  await insertUser(person, { passwordHash: null }, BY_GRACE);
  const answers = await Promise.all(Array.from({ length: 8 }, () => register(person, testCall())));
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  expect(await tokens()).toHaveLength(5);
  await MailSlotModel.updateMany({}, { freeAt: new Date() });
  await register(person, testCall());
  expect(await tokens()).toHaveLength(6);
});

it('is asked for again a minute after a process ended before its mail was sent', async () => {
  await insertUser(person, { passwordHash: null }, BY_GRACE);
  const cutOff = Promise.withResolvers<never>();
  const create = jest.spyOn(OutboxMailModel, 'create').mockReturnValueOnce(cutOff.promise);
  const first = register(person, testCall());
  await waitFor('the mail to begin', () => create.mock.calls.length > 0);
  const [slot] = await MailSlotModel.find().lean();
  expect(Number(slot?.freeAt) - Date.now()).toBeLessThanOrEqual(60_000);
  await MailSlotModel.updateMany({}, { freeAt: new Date(0) });
  await register(person, testCall());
  expect(await tokens()).toHaveLength(1);
  const [kept] = await MailSlotModel.find().lean();
  expect(Number(kept?.freeAt) - Date.now()).toBeGreaterThan(59 * 60_000);
  cutOff.reject(new Error('cut off'));
  await expect(first).rejects.toThrow('cut off');
});

it('mails no token that is not kept, and asks again at a sign-in where the mail is not known to be out', async () => {
  jest.spyOn(EmailTokenModel, 'create').mockRejectedValueOnce(new Error('away'));
  jest.spyOn(logger, 'error').mockReturnValue();
  await register(person, testCall());
  expect(await tokens()).toEqual([]);
  await signIn(ada, testCall());
  expect(await tokens()).toHaveLength(1);

  await EmailTokenModel.updateMany({}, { mailedAt: null });
  await MailSlotModel.deleteMany();
  await signIn(ada, testCall());
  expect(await tokens()).toHaveLength(2);
});
