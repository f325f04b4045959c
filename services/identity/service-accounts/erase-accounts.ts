import { randomUUID } from 'node:crypto';
import { systemChange } from '../../../mixins/changes/change-context.ts';
import { ServiceAccountModel } from '../../../models/service-account.model.ts';
import type { IdentityProvider } from './provider/identity-provider.ts';

/** Accounts of one batch. Further accounts are removed in the next batch. */
const BATCH_SIZE = 20;

const REMOVAL = systemChange('identity', 'identity.eraseWorkspace', {
  none: 'the entry of the deletion of the workspace says it',
});

/**
 * Removes the service accounts of a deleted workspace, each after its client at the identity provider. Without role and
 * credential the accounts may do nothing from the first write on, also while the provider is down. False while
 * accounts are left.
 */
export async function eraseAccounts(
  workspaceId: number,
  provider: IdentityProvider,
): Promise<boolean> {
  await ServiceAccountModel.collection.updateMany(
    { workspaceId, role: { $exists: true } },
    { $set: { credentialId: randomUUID(), secretHash: null }, $unset: { role: '' } },
  );
  const accounts = await ServiceAccountModel.find({ workspaceId }, { outbox: 0 })
    .limit(BATCH_SIZE)
    .lean();
  for (const account of accounts) {
    await provider.remove(account, REMOVAL);
    await ServiceAccountModel.deleteOne({ _id: account._id });
  }
  return accounts.length < BATCH_SIZE;
}
