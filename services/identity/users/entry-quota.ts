import { type Caller, nameOfCaller } from '../../../contract/caller.ts';
import { QuotaReached, quotaProblem } from '../../../contract/quota.ts';
import { SharedTokenBuckets } from '../../../mixins/database/shared-token-buckets.ts';
import { ServiceAccountModel } from '../../../models/service-account.model.ts';
import { verifiedEmailOf } from './addresses.ts';
import { findUser } from './users.ts';
import type { StoredUser } from './users.store.ts';

const DAY_SECONDS = 24 * 3600;
/** Directory entries a day of a person without a verified address. Beyond them the creation is refused with 409. */
const MAX_UNVERIFIED = 5;

interface Quota {
  /** The subject of the refusal's sentence. */
  who: string;
  limit: number;
  buckets: SharedTokenBuckets;
}

const quotaOf = (who: string, limit: number | null): Quota | null =>
  limit === null
    ? null
    : {
        who,
        limit,
        buckets: new SharedTokenBuckets(`directory: ${who}`, {
          count: limit,
          seconds: DAY_SECONDS,
        }),
      };

/** The quota of directory entries of each caller, over all processes. */
export class EntryQuota {
  /** Null for any number. */
  readonly #verified: Quota | null;
  readonly #unverified: Quota | null;

  /** @param limit entries of a caller in a day; null for any number */
  constructor(limit: number | null) {
    this.#verified = quotaOf('An account', limit);
    const fewer = limit && Math.min(limit, MAX_UNVERIFIED);
    this.#unverified = quotaOf('An account without a verified address', fewer);
  }

  /** Counts the caller's try to add an entry. Throws 409 beyond the quota. */
  async admit(caller: Caller): Promise<void> {
    const person = await personOf(caller);
    const isUnverified = person !== null && verifiedEmailOf(person) === null;
    const quota = isUnverified ? this.#unverified : this.#verified;
    const name = person ? `user:${person._id}` : nameOfCaller(caller);
    if (!quota || name === undefined) return;
    const { granted, waitSeconds } = await quota.buckets.take(name);
    if (granted) return;
    const { limit, who } = quota;
    const detail = `${who} may add ${limit} people to the directory in a day at most; the next in ${waitSeconds} s.`;
    throw quotaProblem(QuotaReached, 'DIRECTORY_ENTRIES_PER_DAY', limit, detail, waitSeconds);
  }
}

/** The person whose quota counts: of a service account, the one who has made it. */
async function personOf(caller: Caller): Promise<StoredUser | null> {
  if (caller.kind === 'person') return findUser(caller.userId);
  if (caller.kind !== 'service-account') return null;
  const account = await ServiceAccountModel.findById(caller.accountId, { createdBy: 1 }).lean();
  const maker = account?.createdBy;
  return maker?.type === 'person' && maker.id !== null ? findUser(maker.id) : null;
}
