import { isAbove, type Role } from '../../../contract/access-rule.ts';
import { Forbidden, Problem } from '../../../contract/problem.ts';
import { QuotaReached, quotaProblem } from '../../../contract/quota.ts';
import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import { nextId } from '../../../mixins/database/ids.ts';
import { createInSlot } from '../../../mixins/database/quota-slots.ts';
import { ACCOUNT_SLOT_INDEX, ServiceAccountModel } from '../../../models/service-account.model.ts';
import { chooseFreeSlot } from '../../../support/quota-slot.ts';
import type { Params } from '../../contracts.ts';
import type { AccountContext } from './account-context.ts';
import type { Registration } from './provider/identity-provider.ts';
import { type StoredServiceAccount, serviceAccounts } from './service-accounts.store.ts';
import { showServiceAccount } from './show-account.ts';

type Wanted = Params<'identity.createServiceAccount'>;

/** Creates an account with a client at the identity provider. No answer but this function's contains the secret. */
export async function createServiceAccount(
  wanted: Wanted,
  change: ChangeContext,
  { provider, quota, role, log }: AccountContext,
) {
  assertNotAbove(wanted.role, role);
  const earlier = await findEarlierAttempt(change);
  if (earlier) return { ...showServiceAccount(earlier), clientSecret: null };
  const { workspaceId } = wanted;
  if (quota !== null) await findFreeSlot(workspaceId, quota); // refuses before anything is registered
  const _id = change.reservedId ?? (await nextId('service_accounts'));
  const registration = await provider.register({ _id, workspaceId });
  const account = await storeAccount({ _id, wanted, registration }, quota, change);
  const isOwn = account.clientId === registration.fields.clientId;
  await (isOwn
    ? provider.confirm(account, registration)
    : provider.release({ _id, workspaceId, ...registration.fields }));
  if (isOwn) log('service-account.created', { accountId: _id, workspaceId });
  return {
    ...showServiceAccount(account),
    clientSecret: isOwn ? registration.clientSecret : null,
  };
}

function assertNotAbove(role: Role, creatorRole: Role | undefined): void {
  if (creatorRole && isAbove(role, creatorRole)) {
    throw new Problem(Forbidden, `The role ${creatorRole} may not give the role ${role}.`);
  }
}

/** The account that an attempt with the same `Idempotency-Key` has stored. Its secret is not known any more. */
const findEarlierAttempt = async ({ reservedId }: ChangeContext) =>
  reservedId === undefined ? null : serviceAccounts.find(reservedId);

interface NewAccount {
  _id: number;
  wanted: Wanted;
  registration: Registration;
}

function storeAccount(
  { _id, wanted, registration }: NewAccount,
  quota: number | null,
  change: ChangeContext,
): Promise<StoredServiceAccount> {
  const now = new Date();
  const account = {
    _id,
    ...wanted,
    ...registration.fields,
    createdBy: change.actor,
    createdAt: now,
    updatedAt: now,
  };
  return createInSlot([ACCOUNT_SLOT_INDEX], async () => {
    const slot = quota === null ? {} : { quotaSlot: await findFreeSlot(wanted.workspaceId, quota) };
    return serviceAccounts.create({ ...account, ...slot }, change);
  });
}

/** A number below `quota` that no account of the workspace has. */
async function findFreeSlot(workspaceId: number, quota: number): Promise<number> {
  const made = await ServiceAccountModel.find({ workspaceId }, { quotaSlot: 1 })
    .limit(quota)
    .lean();
  const slots = made.map(({ quotaSlot }) => quotaSlot);
  return chooseFreeSlot(slots, quota, () => tooManyAccounts(quota));
}

const tooManyAccounts = (quota: number) =>
  quotaProblem(
    QuotaReached,
    'SERVICE_ACCOUNTS_PER_WORKSPACE',
    quota,
    `A workspace may have ${quota} service accounts at most.`,
  );
