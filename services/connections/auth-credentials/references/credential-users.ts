import { asSystem } from '../../../../contract/caller.ts';
import { ApiDescriptionModel } from '../../../../models/api-description.model.ts';
import type { Ctx } from '../../../contracts.ts';
import type { CredentialUser } from '../auth-credentials.problems.ts';
import type { StoredAuthCredential } from '../auth-credentials.store.ts';

/** Users of a credential that a refusal names; it tells the number of the others. */
const NAMED_USERS = 5;

/** Finds the first users of a credential, and the number of the others. */
export type CredentialUsers = (
  credential: StoredAuthCredential,
) => Promise<{ users: CredentialUser[]; more: number }>;

/** API descriptions and configuration stores are the users of credentials. */
export const credentialUsersOf =
  (ctx: Pick<Ctx, 'call'>): CredentialUsers =>
  async ({ _id: credentialId, workspaceId }) => {
    const [descriptions, { stores, more }] = await Promise.all([
      findDescriptions(credentialId),
      ctx.call(
        'configurations.storesUsing',
        { workspaceId, credentialId },
        asSystem('connections'),
      ),
    ]);
    const all: CredentialUser[] = [
      ...descriptions.first,
      ...stores.map((store) => ({ type: 'configuration-store' as const, ...store })),
    ];
    const users = all.slice(0, NAMED_USERS);
    return { users, more: descriptions.more + more + all.length - users.length };
  };

async function findDescriptions(
  authCredentialId: number,
): Promise<{ first: CredentialUser[]; more: number }> {
  const filter = { authCredentialId, removedAt: null };
  const [found, count] = await Promise.all([
    ApiDescriptionModel.find(filter, { name: 1 }).sort({ _id: 1 }).limit(NAMED_USERS).lean(),
    ApiDescriptionModel.countDocuments(filter),
  ]);
  const first = found.map(({ _id, name }) => ({ type: 'api-description' as const, id: _id, name }));
  return { first, more: Math.max(count - first.length, 0) };
}
