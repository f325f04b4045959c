import { invalidField } from '../../../contract/problem.ts';
import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import type { Params } from '../../contracts.ts';
import { serviceAccountChanged } from '../identity.events.ts';
import type { AccountContext } from './account-context.ts';
import type { OwnedClient } from './provider/identity-provider.ts';
import { type StoredServiceAccount, serviceAccounts } from './service-accounts.store.ts';
import { showServiceAccount } from './show-account.ts';

/** Renames an account. An update without a new name changes nothing. */
export async function updateServiceAccount(
  account: StoredServiceAccount,
  { id, workspaceId, name }: Params<'identity.updateServiceAccount'>,
  change: ChangeContext,
) {
  assertSame('id', id, account._id);
  assertSame('workspaceId', workspaceId, account.workspaceId);
  const decide = (current: StoredServiceAccount) =>
    name === undefined || name === current.name ? null : { set: { name } };
  const stored = await serviceAccounts.change(account, decide, change, showServiceAccount);
  return showServiceAccount(stored);
}

function assertSame(field: string, given: number | undefined, stored: number): void {
  if (given === undefined || given === stored) return;
  throw invalidField(field, 'contradiction', 'is not that of this service account');
}

/** Gives an account a client with a new secret. The old secret and its tokens are refused from then on. */
export async function rotateSecret(
  account: StoredServiceAccount,
  change: ChangeContext,
  { provider, emit, log }: AccountContext,
) {
  const { _id: accountId, workspaceId } = account;
  const registration = await provider.register(account, account);
  const replaced: OwnedClient[] = [];
  const decide = (current: StoredServiceAccount) => {
    replaced[0] = current;
    return { set: registration.fields };
  };
  const stored = await serviceAccounts.change(account, decide, change);
  await emit(serviceAccountChanged, { accountId, workspaceId });
  await provider.confirm(stored, registration);
  for (const client of replaced) await provider.release(client);
  log('service-account.secret-rotated', { accountId, workspaceId });
  return { ...showServiceAccount(stored), clientSecret: registration.clientSecret };
}

/** Removes the account's client at the identity provider, then the account. */
export async function removeServiceAccount(
  account: StoredServiceAccount,
  change: ChangeContext,
  { provider, emit, log }: AccountContext,
): Promise<void> {
  const { _id: accountId, workspaceId } = account;
  await serviceAccounts.remove(account, change, {
    show: showServiceAccount,
    check: (current) => provider.remove(current, change),
  });
  await emit(serviceAccountChanged, { accountId, workspaceId });
  log('service-account.deleted', { accountId, workspaceId });
}
