import { unavailable } from '../../../middlewares/error-mapping.ts';
import { isDuplicateKey } from '../../../mixins/database/database.ts';
import { nextId } from '../../../mixins/database/ids.ts';
import type {
  Attempt,
  Claim,
  IdempotencyRecords,
} from '../../../mixins/gateway/steps/idempotency.ts';
import {
  type IdempotencyRecordDocument,
  IdempotencyRecordModel,
} from '../../../models/idempotency-record.model.ts';
import { outageOf } from '../../../support/database-outage.ts';
import { outageLog } from '../../../support/outage-log.ts';

/** Milliseconds that one attempt has; a later one may begin then. Longer than any call of such an operation. */
const LEASE_MS = 30_000;
/** Milliseconds for which a record is kept: 24 h. The database removes it up to a minute later. */
const KEPT_MS = 24 * 60 * 60 * 1_000;

/** The records of this system, shared by all gateways. A claim and its end take one round trip each. */
export const idempotencyRecords: IdempotencyRecords = {
  async claim(attempt) {
    return claimOf(attempt, await claimOrReadAgain(attempt).catch(throwUnavailable));
  },
  async complete({ id, lease }, reply) {
    const end = { lease: null, leasedUntil: null };
    await IdempotencyRecordModel.updateOne(
      { _id: id, lease },
      { $set: reply === null ? end : { ...end, reply: JSON.stringify(reply) } },
    );
  },
};

/** Two gateways may meet at the first attempt: the one that comes second finds a record. */
const claimOrReadAgain = (attempt: Attempt): Promise<IdempotencyRecordDocument> =>
  claimOrRead(attempt).catch((error: unknown) => {
    if (!isDuplicateKey(error)) throw error;
    return claimOrRead(attempt);
  });

/** Throws 503 for an outage of the database, and any other error as it is. */
function throwUnavailable(error: unknown): never {
  const outage = outageOf(error);
  if (!outage) throw error;
  outageLog.warn(outage);
  throw unavailable('The database');
}

/** Makes the record, or takes the lease of one that has no answer and no attempt under way; and reads it. */
async function claimOrRead({
  id,
  fingerprint,
  lease,
  sequence,
}: Attempt): Promise<IdempotencyRecordDocument> {
  const isNew = { $eq: [{ $type: '$fingerprint' }, 'missing'] };
  const isFree = {
    $and: [
      { $eq: ['$fingerprint', fingerprint] },
      { $eq: ['$reply', null] },
      { $lte: [{ $ifNull: ['$leasedUntil', '$$NOW'] }, '$$NOW'] },
    ],
  };
  const ifClaimed = (value: unknown, otherwise: unknown) => ({
    $cond: [{ $or: [isNew, isFree] }, value, otherwise],
  });
  const ifNew = (value: unknown, otherwise: unknown) => ({ $cond: [isNew, value, otherwise] });
  return IdempotencyRecordModel.findOneAndUpdate(
    { _id: id },
    [
      {
        $set: {
          lease: ifClaimed(lease, '$lease'),
          leasedUntil: ifClaimed({ $add: ['$$NOW', LEASE_MS] }, '$leasedUntil'),
          fingerprint: ifNew(fingerprint, '$fingerprint'),
          reservedId: ifNew(await nextId(sequence), '$reservedId'),
          reply: ifNew(null, '$reply'),
          expiresAt: ifNew({ $add: ['$$NOW', KEPT_MS] }, '$expiresAt'),
        },
      },
    ],
    { upsert: true, returnDocument: 'after', updatePipeline: true },
  )
    .orFail()
    .lean<IdempotencyRecordDocument>();
}

function claimOf({ fingerprint, lease }: Attempt, record: IdempotencyRecordDocument): Claim {
  if (record.lease === lease) return { kind: 'claimed', reservedId: record.reservedId };
  if (record.fingerprint !== fingerprint) return { kind: 'reused' };
  if (record.reply !== null) return { kind: 'answered', reply: JSON.parse(record.reply) };
  const leftMs = (record.leasedUntil?.getTime() ?? 0) - Date.now();
  return { kind: 'in-flight', retryAfter: Math.min(Math.max(1, Math.ceil(leftMs / 1_000)), 30) };
}
