import { emailKey } from '../../../contract/fields.ts';
import { systemChange } from '../../../mixins/changes/change-context.ts';
import { EmailTokenModel } from '../../../models/email-token.model.ts';
import type { Params } from '../../contracts.ts';
import { verificationOf } from '../email-verification/verify-email.ts';
import { verifiedEmailOf } from '../users/addresses.ts';
import { changeUser, type StoredUser } from '../users/users.store.ts';
import { actorOfUser, findUser } from '../users/users.ts';

type Entry = Params<'identity.verifyInvited'>['entries'][number];

const VERIFICATION = systemChange('identity', 'identity.verifyInvited', { resource: 'user' });

/**
 * Verifies the addresses of users who have joined a workspace by a token mailed to their own address. The session of
 * the user and the token prove together what `POST /auth/email/verify` asks for. An account that had a verified address
 * proves the next one by its password alone, so it is left as it is.
 */
export async function verifyInvited(entries: readonly Entry[]): Promise<void> {
  for (const { userId, email } of entries) {
    const user = await findUser(userId);
    if (user) await verifyAddress(user, emailKey(email));
  }
}

async function verifyAddress(user: StoredUser, key: string): Promise<void> {
  const decide = (current: StoredUser) =>
    current.emailKey !== key || verifiedEmailOf(current) || current.deletion
      ? null
      : verificationOf(current);
  const change = { ...VERIFICATION, actor: actorOfUser(user) };
  if (await changeUser(user, decide, change))
    await EmailTokenModel.deleteMany({ userId: user._id });
}
