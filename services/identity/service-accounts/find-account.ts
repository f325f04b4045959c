import type { Role } from '../../../contract/access-rule.ts';
import type { ServiceAccountCaller } from '../../../contract/caller.ts';
import { NotFound, Problem } from '../../../contract/problem.ts';
import { batchFind } from '../../../mixins/database/batch-loader.ts';
import {
  type ServiceAccountDocument,
  ServiceAccountModel,
} from '../../../models/service-account.model.ts';
import { type StoredServiceAccount, serviceAccounts } from './service-accounts.store.ts';

const findWithSecret = batchFind<ServiceAccountDocument>(ServiceAccountModel, {
  projection: { outbox: 0 },
});

/** The caller of a token of this service; null when a new secret or the removal of the account has ended the token. */
export async function findCallingAccount(
  accountId: number,
  credentialId: string,
): Promise<ServiceAccountCaller | null> {
  const account = await findWithSecret(accountId);
  const isValid = account?.issuer === null && account.credentialId === credentialId;
  return isValid ? callerOf(account) : null;
}

export const callerOf = ({
  _id,
  name,
  workspaceId,
}: Pick<StoredServiceAccount, '_id' | 'name' | 'workspaceId'>): ServiceAccountCaller => ({
  kind: 'service-account',
  accountId: _id,
  name,
  workspaceId,
});

/** The role of an account in a workspace; null for another workspace, for an account that is gone, and for one whose
 * workspace is gone. */
export async function findRoleOfAccount(
  accountId: number,
  workspaceId: number,
): Promise<Role | null> {
  const account = await serviceAccounts.find(accountId);
  return account?.workspaceId === workspaceId ? (account.role ?? null) : null;
}

/** The account as it sees itself. */
export async function showCallingAccount({ accountId }: ServiceAccountCaller) {
  const account = await serviceAccounts.find(accountId);
  // An account without a role waits for its removal with its workspace.
  if (!account?.role) throw new Problem(NotFound, 'The service account is gone.');
  const { _id: id, workspaceId, name, role } = account;
  return { id, workspaceId, name, role };
}
