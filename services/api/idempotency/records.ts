import { outageProblem } from '../../../middlewares/error-mapping.ts';
import { isDuplicateKey } from '../../../mixins/database/database.ts';
import { nextId } from '../../../mixins/database/ids.ts';
import {
  type Attempt,
  type Claim,
  type IdempotencyRecords,
  LEASE_MS,
} from '../../../mixins/gateway/steps/idempotency.ts';
import {
  type IdempotencyRecordDocument,
  IdempotencyRecordModel,
} from '../../../models/idempotency-record.model.ts';
import { openReply, sealReply } from './sealed-reply.ts';

/**
 * Milliseconds for which a record is stored: 24 h. The database deletes the record up to a minute later.
 *
 * The rate limit bounds the records of a caller: 600 a minute are 864,000 in 24 h at each gateway. A record has
 * about 0.4 kB and its reply, which the seal makes a third longer. A refusal is stored with 2.7 kB at most, which
 * makes 2.7 GB of a caller who sends refused requests alone for a day. The reply to a creation is not much longer
 * than the resource that it created, which the workspace stores for good.
 */
const RECORD_TTL_MS = 24 * 60 * 60 * 1_000;

/** The records of this system, shared by all gateways. A claim and an end of an attempt take one round trip each. */
export const idempotencyRecords: IdempotencyRecords = {
  async claim(attempt) {
    return claimOf(attempt, await claimOrReadAgain(attempt).catch(throwUnavailable));
  },
  async keepReply(attempt, reply) {
    const { id, lease } = attempt;
    const set = { ...NO_LEASE, reply: sealReply(reply, attempt) };
    await IdempotencyRecordModel.updateOne({ _id: id, lease }, { $set: set });
  },
  async renew({ id, lease }) {
    const leasedUntil = { $add: ['$$NOW', LEASE_MS] };
    await IdempotencyRecordModel.updateOne({ _id: id, lease }, [{ $set: { leasedUntil } }], {
      updatePipeline: true,
    });
  },
  async release(attempts) {
    const filter = {
      _id: { $in: attempts.map(({ id }) => id) },
      lease: { $in: attempts.map(({ lease }) => lease) }, // a lease is of one record
    };
    await IdempotencyRecordModel.updateMany(filter, { $set: NO_LEASE });
  },
  async discard({ id, lease }) {
    // An earlier attempt, which a crash has interrupted, may have made the resource of the reserved id.
    const { deletedCount } = await IdempotencyRecordModel.deleteOne({
      _id: id,
      lease,
      firstLease: lease,
    });
    if (deletedCount === 0) await this.release([{ id, lease }]);
  },
};

const NO_LEASE = { lease: null, leasedUntil: null };

/** Claims once more after a duplicate key: another gateway has inserted the record at the same time. */
const claimOrReadAgain = (attempt: Attempt): Promise<IdempotencyRecordDocument> =>
  claimOrRead(attempt).catch((error: unknown) => {
    if (!isDuplicateKey(error)) throw error;
    return claimOrRead(attempt);
  });

/** Throws 503 for an outage of the database, and any other error as it is. */
function throwUnavailable(error: unknown): never {
  throw outageProblem(error) ?? error;
}

/** Makes the record, or takes its lease where the record has neither a reply nor a live lease. Answers the record. */
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
          firstLease: ifNew(lease, '$firstLease'),
          fingerprint: ifNew(fingerprint, '$fingerprint'),
          reservedId: ifNew(sequence && (await nextId(sequence)), '$reservedId'),
          reply: ifNew(null, '$reply'),
          expiresAt: ifNew({ $add: ['$$NOW', RECORD_TTL_MS] }, '$expiresAt'),
        },
      },
    ],
    { upsert: true, returnDocument: 'after', updatePipeline: true },
  )
    .orFail()
    .lean<IdempotencyRecordDocument>();
}

function claimOf(attempt: Attempt, record: IdempotencyRecordDocument): Claim {
  const { fingerprint, lease } = attempt;
  if (record.lease === lease) return { kind: 'claimed', reservedId: record.reservedId };
  if (record.fingerprint !== fingerprint) return { kind: 'reused' };
  if (record.reply !== null) return { kind: 'answered', reply: openReply(record.reply, attempt) };
  return { kind: 'in-flight' };
}
