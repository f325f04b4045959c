import { AuthCredentialModel } from '../../../../models/auth-credential.model.ts';
import type { Params } from '../../../contracts.ts';
import type { AuthCredentialSummary } from '../../contract/resources.ts';
import type { StoredAuthCredential } from '../auth-credentials.store.ts';
import { summaryOf } from '../show-credential.ts';

/** Milliseconds of a reservation by the clock of the database. A writer that has not released it by then has crashed. */
export const RESERVED_MS = 10_000;

const SUMMARY = { name: 1, authType: 1 } as const;
type SummaryFields = Pick<StoredAuthCredential, '_id' | 'name' | 'authType'>;

/** Those of the credentials that the workspace has, by id. */
export async function findCredentials({
  workspaceId,
  ids,
}: Params<'connections.credentialsByIds'>): Promise<{ credentials: AuthCredentialSummary[] }> {
  const filter = { _id: { $in: ids }, workspaceId, removedAt: null };
  return { credentials: await findSummaries(filter) };
}

const findSummaries = async (filter: object): Promise<AuthCredentialSummary[]> => {
  const found = await AuthCredentialModel.find(filter, SUMMARY)
    .sort({ _id: 1 })
    .lean<SummaryFields[]>();
  return found.map(summaryOf);
};

/**
 * Reserves credentials for a writer of references, and returns those that are reserved. A credential that is being
 * deleted counts as missing.
 */
export async function reserveCredentials({
  workspaceId,
  ids,
  token,
}: Params<'connections.reserveCredentials'>): Promise<{ credentials: AuthCredentialSummary[] }> {
  const filter = { _id: { $in: ids }, workspaceId, removedAt: null };
  const reserve = async () => {
    await addReservation({ ...filter, deletion: { $exists: false } }, token);
    return findSummaries({ ...filter, 'reservations.token': token });
  };
  const reserved = await reserve();
  if (reserved.length === new Set(ids).size) return { credentials: reserved };
  const freed = await endExpiredDeletions(filter);
  return { credentials: freed > 0 ? await reserve() : reserved };
}

/** Adds the reservation. Expired ones leave the list, and an earlier one of the token. */
async function addReservation(filter: object, token: string): Promise<void> {
  const isLive = {
    $and: [{ $gt: ['$$held.until', '$$NOW'] }, { $ne: ['$$held.token', { $literal: token }] }],
  };
  const live = {
    $filter: { input: { $ifNull: ['$reservations', []] }, as: 'held', cond: isLive },
  };
  const own = { token: { $literal: token }, until: { $add: ['$$NOW', RESERVED_MS] } };
  await AuthCredentialModel.updateMany(
    filter,
    [{ $set: { reservations: { $concatArrays: [live, [own]] } } }],
    { updatePipeline: true },
  );
}

/**
 * Ends deletions that a crash has left. The revision is raised, so that a process which only seemed to have crashed
 * deletes nothing: its removal is of the earlier revision.
 */
async function endExpiredDeletions(filter: object): Promise<number> {
  const expired = { $expr: { $lte: ['$deletion.until', '$$NOW'] }, deletion: { $exists: true } };
  const { modifiedCount } = await AuthCredentialModel.updateMany(
    { ...filter, ...expired },
    { $unset: { deletion: 1 }, $inc: { revision: 1 } },
  );
  return modifiedCount;
}

/** Ends the reservation of a writer, whose references are written or given up. */
export async function releaseCredentials({
  workspaceId,
  ids,
  token,
}: Params<'connections.releaseCredentials'>): Promise<null> {
  await AuthCredentialModel.updateMany(
    { _id: { $in: ids }, workspaceId, 'reservations.token': token },
    { $pull: { reservations: { token } } },
  );
  return null;
}
