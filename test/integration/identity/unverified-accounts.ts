import { OutboxMailModel } from '../../../models/outbox-mail.model.ts';
import { UserModel } from '../../../models/user.model.ts';
import { readAccessToken } from '../../../services/identity/sessions/access-token.ts';
import { sweepExpiredAccounts } from '../../../services/identity/users/expired-accounts.ts';
import { register } from '../../../services/identity/users/register.ts';
import { users } from '../../../services/identity/users/users.store.ts';
import { testCall } from '../../helpers/call-context.ts';
import { useDatabase } from '../../helpers/database.ts';

export const PASSWORD = 'seven green kettles';

/** The database of the file's tests, without users before each. */
export function useUsers(): void {
  useDatabase([UserModel]);
  beforeEach(() => UserModel.deleteMany());
  afterEach(() => jest.restoreAllMocks());
}

let people = 0;
/** Registers an account that nobody has verified. */
export async function newAccount() {
  const email = `ada.${people++}@example.com`;
  const names = { firstName: 'Ada', lastName: 'Lovelace' };
  const session = await register({ email, password: PASSWORD, ...names }, testCall());
  if (!('user' in session)) throw new Error('the address is free');
  const mail = await OutboxMailModel.findOne({ to: email }).lean();
  const { accessToken: token, user } = session;
  const { sessionId = '' } = readAccessToken(token) ?? {};
  return { id: user.id, email, token, sessionId, mailed: mail?.token ?? '' };
}

/** The users that a workspace names. */
export const member = new Set<number>();
export const hooks = () => ({
  hasMemberships: async (userId: number) => member.has(userId),
  onClosed: jest.fn(async () => undefined),
  onDeleted: jest.fn(),
});
export const sweep = (told = hooks()) => sweepExpiredAccounts(told);

/** Makes the account's time to be verified end now. */
export const letExpire = () =>
  UserModel.updateMany({ unverifiedUntil: { $exists: true } }, { unverifiedUntil: new Date(0) });

/** Tombstones count as missing. */
export const find = (id: number) => users.find(id);
