import { type EventSource, emit } from '../../../../contract/event.ts';
import { isProblem, NotFound } from '../../../../contract/problem.ts';
import {
  type ProviderClientDocument,
  ProviderClientModel,
} from '../../../../models/provider-client.model.ts';
import { logger } from '../../../../support/logging.ts';
import { serviceAccountChanged } from '../../identity.events.ts';
import { type StoredServiceAccount, serviceAccounts } from '../service-accounts.store.ts';
import { hasClient, removeClient } from './client-registration.ts';
import { deleteClient, managementOf } from './provider-clients.ts';
import { isStale, seal } from './seal.ts';

/** Clients of one sweep; further ones wait for the next sweep. */
const SWEEP_SIZE = 100;
/** Milliseconds for which one process looks after a due client. */
const LEASE_MS = 20_000;
/** Milliseconds until the second attempt after a failure. Each further time is twice as long, up to `MAX_BACKOFF_MS`. */
const BACKOFF_MS = 5_000;
const MAX_BACKOFF_MS = 10 * 60_000;

/** Finishes what requests have left: interrupted registrations, removals, and clients that no account names. */
export async function sweepDueClients(events: EventSource): Promise<void> {
  const now = new Date();
  const due = await ProviderClientModel.find({ dueAt: { $lte: now } })
    .sort({ dueAt: 1 })
    .limit(SWEEP_SIZE)
    .lean<ProviderClientDocument[]>();
  for (const client of due) {
    const { _id, dueAt } = client;
    const lease = { dueAt: new Date(Date.now() + LEASE_MS) };
    const { modifiedCount } = await ProviderClientModel.updateOne({ _id, dueAt }, lease);
    if (modifiedCount) await finishOrPostpone(client, events);
  }
}

async function finishOrPostpone(client: ProviderClientDocument, events: EventSource) {
  const { _id, accountId, failures } = client;
  try {
    await finish(client, events);
  } catch (err) {
    logger.warn({ err, client: _id, accountId }, 'A client at the identity provider waits');
    const backoff = Math.min(MAX_BACKOFF_MS, BACKOFF_MS * 2 ** Math.min(failures, 20));
    const update = { dueAt: new Date(Date.now() + backoff), failures: failures + 1 };
    await ProviderClientModel.updateOne({ _id }, update);
  }
}

async function finish(client: ProviderClientDocument, events: EventSource): Promise<void> {
  const { _id, accountId } = client;
  const management = managementOf(client);
  if (!management) {
    const fields = { client: _id, accountId };
    logger.warn(
      fields,
      'A registration was cut off; the provider may have this client without use',
    );
    return deleteClient(_id);
  }
  const account = await serviceAccounts.find(accountId);
  if (!account || !names(account, client)) {
    await removeClient(management);
    return deleteClient(_id);
  }
  if (client.removal && !(await hasClient(management))) {
    await removeAccount(account, client);
    const { workspaceId } = account;
    await emit(events, serviceAccountChanged, { accountId, workspaceId });
    return deleteClient(_id);
  }
  const inUse = { $set: { dueAt: null, failures: 0 }, $unset: { removal: '' } };
  await ProviderClientModel.updateOne({ _id }, inUse);
}

const names = (account: StoredServiceAccount, client: ProviderClientDocument): boolean =>
  account.clientId === client.clientId && account.issuer === client.issuer;

/** Removes an account whose client is gone, in the name of the caller who asked for it. */
async function removeAccount(
  account: StoredServiceAccount,
  { removal }: ProviderClientDocument,
): Promise<void> {
  if (!removal) return;
  try {
    await serviceAccounts.remove(account, { ...removal, ifMatch: undefined });
  } catch (error) {
    if (!isProblem(error, NotFound)) throw error;
  }
}

/** The client that a patrol looked at last in this process, for each patrol. */
export interface PatrolPosition {
  after: string;
}

/**
 * Looks at the next clients in the order of their names: those whose account is gone, as with its workspace, are due,
 * and secrets that another signing key has sealed are sealed by the first one.
 */
export async function patrolClients(position: PatrolPosition): Promise<void> {
  const clients = await ProviderClientModel.find({ _id: { $gt: position.after } })
    .sort({ _id: 1 })
    .limit(SWEEP_SIZE)
    .lean<ProviderClientDocument[]>();
  position.after = clients.length < SWEEP_SIZE ? '' : (clients.at(-1)?._id ?? '');
  for (const client of clients) {
    const account = await serviceAccounts.find(client.accountId);
    const { _id, dueAt } = client;
    if (dueAt === null && !(account && names(account, client))) {
      await ProviderClientModel.updateOne({ _id, dueAt: null }, { dueAt: new Date() });
    }
    await sealAgain(client);
  }
}

async function sealAgain(client: ProviderClientDocument): Promise<void> {
  const { _id, managementToken: sealed } = client;
  if (!sealed || !isStale(sealed)) return;
  const { managementToken } = managementOf(client) ?? {};
  if (!managementToken) return;
  const filter = { _id, managementToken: sealed };
  await ProviderClientModel.updateOne(filter, { managementToken: seal(managementToken, _id) });
}
