import { ascendingBy } from '../../../contract/page-order.ts';
import { readPage } from '../../../mixins/database/read-page.ts';
import { ServiceAccountModel } from '../../../models/service-account.model.ts';
import type { Params } from '../../contracts.ts';
import { type StoredServiceAccount, serviceAccounts } from './service-accounts.store.ts';

/** The accounts of a workspace, by id. */
export function listServiceAccounts({
  workspaceId,
  ...position
}: Params<'identity.listServiceAccounts'>) {
  const order = ascendingBy('_id');
  const { projection } = serviceAccounts;
  const query = { filter: { workspaceId }, order, position, projection };
  return readPage(ServiceAccountModel, query, showServiceAccount);
}

export function showServiceAccount(account: StoredServiceAccount) {
  const { _id, workspaceId, name, clientId, role, createdAt, updatedAt, createdBy } = account;
  return {
    id: _id,
    workspaceId,
    name,
    clientId,
    role,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    createdBy,
  };
}
