import { nextId } from '../../../mixins/database/ids.ts';
import { OutboxMailModel } from '../../../models/outbox-mail.model.ts';
import { ResetTokenModel } from '../../../models/reset-token.model.ts';
import { UserModel } from '../../../models/user.model.ts';
import { verifyEmail } from '../../../services/identity/email-verification/verify-email.ts';
import { changePassword } from '../../../services/identity/passwords/change-password.ts';
import { hashPassword } from '../../../services/identity/passwords/password.ts';
import { resetPassword } from '../../../services/identity/passwords/reset-password.ts';
import { newSecret } from '../../../services/identity/secret.ts';
import { readAccessToken } from '../../../services/identity/sessions/access-token.ts';
import { authenticate } from '../../../services/identity/sessions/authenticate.ts';
import { endSession, listSessions } from '../../../services/identity/sessions/own-sessions.ts';
import { signIn } from '../../../services/identity/sessions/sign-in.ts';
import { register } from '../../../services/identity/users/register.ts';
import { changeUser, users } from '../../../services/identity/users/users.store.ts';
import { createUser } from '../../../services/identity/users/users.ts';
import { hashOf } from '../../../support/hash.ts';
import { testCall } from '../../helpers/call-context.ts';
import { commandsOf } from '../../helpers/captured-commands.ts';
import { changeContext } from '../../helpers/change-context.ts';
import { useDatabase } from '../../helpers/database.ts';

jest.mock('../../../services/identity/passwords/password.ts', () => {
  const actual = jest.requireActual<{ hashPassword: typeof hashPassword }>(
    '../../../services/identity/passwords/password.ts',
  );
  return { ...actual, hashPassword: jest.fn(actual.hashPassword) };
});

const PASSWORD = 'seven green kettles';
const NEW_PASSWORD = 'eleven quiet harbours';
let people = 0;

useDatabase([UserModel]);
beforeAll(() => nextId('users')); // so that ids are there

const newPerson = () => ({
  email: `ada.${people++}@example.com`,
  firstName: 'Ada',
  lastName: 'Lovelace',
});

async function newAccount() {
  const person = { ...newPerson(), password: PASSWORD };
  const session = await register(person, testCall());
  if (!('user' in session)) throw new Error('the address is free');
  const { sessionId = '' } = readAccessToken(session.accessToken) ?? {};
  const id = session.user.id;
  const caller = { kind: 'person', userId: id, name: 'Ada Lovelace', sessionId } as const;
  const { accessToken } = session;
  return { id, email: person.email, accessToken, sessionId, call: testCall({ caller }) };
}
type Account = Awaited<ReturnType<typeof newAccount>>;

const verifyToken = async ({ email }: Account): Promise<string> =>
  (await OutboxMailModel.findOne({ to: email }).lean())?.token ?? '';

async function newResetToken(account: Account): Promise<string> {
  await verifyEmail({ token: await verifyToken(account), password: PASSWORD }, testCall());
  const secret = newSecret();
  await ResetTokenModel.create({
    _id: hashOf(secret),
    userId: account.id,
    emailKey: account.email,
    resetEpoch: 0,
    createdAt: new Date(),
    expiresAt: new Date(Date.now() + 60_000),
  });
  return secret;
}

const change = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };

/** What each use case gets ready, the use case itself, and the commands that it takes. */
const cases: [what: string, prepare: (account: Account) => Promise<Work>, most: number][] = [
  ['changing the password', async (account) => () => changePassword(change, account.call), 4],
  ['resetting the password', async (account) => resetting(await newResetToken(account)), 6],
  ['verifying by password', async (account) => verifying(account, { password: PASSWORD }), 5],
  [
    'taking an account over',
    async (account) => verifying(account, { newPassword: NEW_PASSWORD }),
    8,
  ],
];
type Work = () => Promise<void>;
const resetting =
  (token: string): Work =>
  () =>
    resetPassword({ token, newPassword: NEW_PASSWORD }, testCall());
async function verifying(account: Account, proof: object): Promise<Work> {
  const token = await verifyToken(account);
  return () => verifyEmail({ token, ...proof }, testCall());
}

it.each(cases)('%s takes no more round trips than it must', async (_what, prepare, most) => {
  const work = await prepare(await newAccount());
  expect(await commandsOf(work)).toHaveLength(most);
});

it('adding a directory entry takes one round trip', async () => {
  const person = newPerson();
  expect(await commandsOf(() => createUser(person, changeContext()))).toHaveLength(1);
  await expect(createUser(person, changeContext())).rejects.toMatchObject({ type: 'EMAIL_IN_USE' });
});

it('records each change once, by the user, without a value', async () => {
  const account = await newAccount();
  const token = await newResetToken(account);
  await resetPassword({ token, newPassword: NEW_PASSWORD }, testCall());
  const again = { currentPassword: NEW_PASSWORD, newPassword: PASSWORD };
  const { accessToken } = await signIn(
    { email: account.email, password: NEW_PASSWORD },
    testCall(),
  );
  const { sessionId = '' } = readAccessToken(accessToken) ?? {};
  const caller = { kind: 'person', userId: account.id, name: 'Ada Lovelace', sessionId } as const;
  await changePassword(again, testCall({ caller }));

  const stored = await UserModel.findById(account.id).lean();
  const entry = (changed: string[]) =>
    expect.objectContaining({
      call: 'workspaces.recordAudit',
      params: expect.objectContaining({
        workspaceId: null,
        actor: { type: 'person', id: account.id, name: 'Ada Lovelace' },
        resource: { type: 'user', id: account.id },
        changed,
      }),
    });
  const verified = expect.objectContaining({ event: 'user.verified' });
  const password = entry(['password']);
  expect(stored?.outbox).toEqual([
    entry([]),
    entry(['emailVerified']),
    verified,
    password,
    password,
  ]);
  expect(stored?.revision).toBe(4);
  const recorded = JSON.stringify(stored?.outbox);
  for (const secret of [account.email, stored?.passwordHash])
    expect(recorded).not.toContain(secret);
});

it('a sign-in from a new network does not change the revision', async () => {
  const { id, email } = await newAccount();
  const client = { address: '198.51.100.7', userAgent: null };
  await signIn({ email, password: PASSWORD }, testCall({ client }));
  const stored = await UserModel.findById(id).lean();
  expect(stored?.knownNetworks).toHaveLength(2);
  expect(stored?.revision).toBe(1);
});

/** Does `work` once, while the next password is hashed: after the user was read and before the user is written. */
function meanwhile(work: () => Promise<unknown>): void {
  jest.mocked(hashPassword).mockImplementationOnce(async (...given) => {
    await work();
    return hashPassword(...given);
  });
}

const SYSTEM = changeContext({ audit: { none: 'a test' } });

it('a change of the password outlives another change of the user', async () => {
  const { id, call, accessToken } = await newAccount();
  const user = await users.find(id);
  if (!user) throw new Error('the user is there');
  meanwhile(() => changeUser(user, () => ({ set: { firstName: 'Augusta' } }), SYSTEM));
  await changePassword(change, call);
  expect(await users.find(id)).toMatchObject({
    firstName: 'Augusta',
    sessionEpoch: 1,
    revision: 3,
  });
  expect(await authenticate(accessToken)).not.toBeNull();
});

it('a change of the password is refused when another password was set, or the user was removed', async () => {
  for (const other of ['password', 'removal'] as const) {
    const { id, call } = await newAccount();
    const user = await users.find(id);
    if (!user) throw new Error('the user is there');
    const set = { passwordHash: 'another' };
    meanwhile(() =>
      other === 'password'
        ? changeUser(user, () => ({ set }), SYSTEM)
        : users.tryRemove(user, SYSTEM),
    );
    await expect(changePassword(change, call)).rejects.toMatchObject({ type: 'WRONG_PASSWORD' });
    expect((await users.find(id))?.passwordHash).toBe(other === 'password' ? 'another' : undefined);
  }
});

it('a session is listed and can be ended after a crash before it got the epoch of its user', async () => {
  const { id, accessToken, sessionId, call } = await newAccount();
  const carriedSession = { id: sessionId, epoch: 1 };
  await UserModel.updateOne({ _id: id }, { sessionEpoch: 1, carriedSession });
  expect(await authenticate(accessToken)).toMatchObject({ sessionId });
  const { items } = await listSessions({ limit: 10 }, call);
  expect(items).toMatchObject([{ id: sessionId, current: true }]);
  await endSession(sessionId, call);
  expect(await authenticate(accessToken)).toBeNull();
});
