import { EmailTokenModel } from '../../../models/email-token.model.ts';
import { UserModel } from '../../../models/user.model.ts';
import { erasureActions } from '../../../services/erasure-calls.ts';
import { verifyEmail } from '../../../services/identity/email-verification/verify-email.ts';
import { authenticate } from '../../../services/identity/sessions/authenticate.ts';
import { signIn } from '../../../services/identity/sessions/sign-in.ts';
import { register } from '../../../services/identity/users/register.ts';
import { updateUser } from '../../../services/identity/users/update-user.ts';
import { insertUser } from '../../../services/identity/users/users.ts';
import { testCall } from '../../helpers/call-context.ts';
import { changeContext } from '../../helpers/change-context.ts';
import {
  find,
  hooks,
  letExpire,
  member,
  newAccount,
  PASSWORD,
  sweep,
  useUsers,
} from './unverified-accounts.ts';

useUsers();

it('is deleted after its sessions have ended, and its address is free again', async () => {
  const account = await newAccount();
  const told = hooks();
  await sweep(told);
  expect(await find(account.id)).toMatchObject({ emailVerified: false });
  expect(await authenticate(account.token)).not.toBeNull();

  await letExpire();
  await sweep(told);
  expect(told.onClosed).toHaveBeenCalledWith(account.id);
  expect(await authenticate(account.token)).toBeNull();
  await expect(
    signIn({ email: account.email, password: PASSWORD }, testCall()),
  ).rejects.toMatchObject({ type: 'INVALID_CREDENTIALS' });
  await sweep(told);
  expect(await find(account.id)).not.toBeNull(); // what its sessions began may be under way

  await letExpire();
  await sweep(told);
  expect(told.onDeleted).toHaveBeenCalledWith(account.id);
  expect(await find(account.id)).toBeNull();
  expect(await EmailTokenModel.countDocuments({ userId: account.id })).toBe(0);
  const again = { email: account.email, password: PASSWORD, firstName: 'A', lastName: 'L' };
  expect(await register(again, testCall())).toHaveProperty('accessToken');
});

it('leaves the audit entry of each deletion, of several at once as well', async () => {
  const accounts = [await newAccount(), await newAccount()];
  for (let round = 0; round < 2; round++) {
    await letExpire();
    await sweep();
  }
  const left = await UserModel.find({ removedAt: { $exists: true } })
    .sort({ _id: 1 })
    .lean();
  expect(left.map(({ _id }) => _id)).toEqual(accounts.map(({ id }) => id));
  for (const { _id: id, outbox } of left) {
    const [audit] = outbox?.slice(-1 - erasureActions('erasePerson').length) ?? [];
    expect(audit).toMatchObject({
      call: 'workspaces.recordAudit',
      params: {
        workspaceId: null,
        actor: { type: 'system', name: 'identity' },
        operation: 'identity.expireAccount',
        resource: { type: 'user', id },
      },
    });
  }
  const others = left.map(({ outbox = [], ...user }) => [user, outbox.filter(isNoErasure)]);
  expect(JSON.stringify(others)).not.toContain('@example.com');
});

const isNoErasure = (entry: object): boolean => !JSON.stringify(entry).includes('.erasePerson');

it('makes every service erase the person, by the id and the address', async () => {
  const { id, email } = await newAccount();
  for (let round = 0; round < 2; round++) {
    await letExpire();
    await sweep();
  }
  const left = await UserModel.findById(id).lean();
  const calls = erasureActions('erasePerson');
  const params = { userId: id, addresses: [email] };
  expect(left?.outbox?.slice(-calls.length)).toMatchObject(calls.map((call) => ({ call, params })));
});

it('is deleted before a backlog of others is looked at, which takes one sweep', async () => {
  const closed = await newAccount();
  await letExpire();
  await sweep();
  const backlog = Array.from({ length: 250 }, (_, n) => ({
    _id: 1_000_000 + n,
    email: `${n}@example.com`,
    emailKey: `${n}@example.com`,
    emailVerified: false,
    firstName: 'A',
    lastName: 'L',
    passwordHash: 'hash',
    unverifiedUntil: new Date(-1),
  }));
  await UserModel.insertMany(backlog);
  await letExpire();
  const told = hooks();
  await sweep(told);
  const [firstDeleted = Infinity] = told.onDeleted.mock.invocationCallOrder;
  expect(told.onDeleted).toHaveBeenCalledWith(closed.id);
  expect(firstDeleted).toBeLessThan(told.onClosed.mock.invocationCallOrder[0] ?? 0);
  expect(told.onClosed).toHaveBeenCalledTimes(250);
});

it('stays when a workspace names it, and is looked at again later', async () => {
  const account = await newAccount();
  member.add(account.id);
  await letExpire();
  await sweep();
  await sweep();
  expect(await authenticate(account.token)).not.toBeNull();
  const { unverifiedUntil } = (await find(account.id)) ?? {};
  expect(Number(unverifiedUntil)).toBeGreaterThan(Date.now() + 29 * 24 * 3600 * 1000);
});

it('gets its verified address back when nobody has verified another one in 30 days', async () => {
  const { id, sessionId, email, mailed } = await newAccount();
  await verifyEmail({ token: mailed, password: PASSWORD }, testCall());
  const caller = { kind: 'person', userId: id, name: 'Ada Lovelace', sessionId } as const;
  const names = { firstName: 'Ada', lastName: 'Lovelace' };
  await updateUser({ id, ...names, email: 'claimed@example.com' }, testCall({ caller }));
  await letExpire();
  const told = hooks();
  await sweep(told);
  await sweep(told);
  expect(await find(id)).toMatchObject({ email, emailVerified: true });
  expect(told.onClosed).not.toHaveBeenCalled();
  const free = { email: 'claimed@example.com', ...names };
  expect(await insertUser(free, { passwordHash: null }, changeContext())).not.toBeNull();
});

it('never is one that was verified, before or after it was closed, nor a directory entry', async () => {
  const [early, late] = [await newAccount(), await newAccount()];
  const entry = await insertUser(
    { email: 'entry@example.com', firstName: 'E', lastName: 'O' },
    { passwordHash: null },
    changeContext(),
  );
  await verifyEmail({ token: early.mailed, password: PASSWORD }, testCall());
  await letExpire();
  await sweep();
  await verifyEmail({ token: late.mailed, password: PASSWORD }, testCall());
  await letExpire();
  await sweep();
  await sweep();
  for (const { id } of [early, late]) expect(await find(id)).toMatchObject({ emailVerified: true });
  expect(entry && (await find(entry._id))).toMatchObject({ email: 'entry@example.com' });
  expect(await signIn({ email: late.email, password: PASSWORD }, testCall())).toHaveProperty(
    'user',
  );
});
