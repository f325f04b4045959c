import { type Caller, nameOfCaller } from '../../../contract/caller.ts';
import { QuotaReached, quotaProblem } from '../../../contract/quota.ts';
import { SharedTokenBuckets } from '../../../mixins/database/shared-token-buckets.ts';
import { verifiedEmailOf } from './addresses.ts';
import { findUser } from './users.ts';

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
    const quota = (await isUnverified(caller)) ? this.#unverified : this.#verified;
    const name = nameOfCaller(caller);
    if (!quota || name === undefined) return;
    const { granted, waitSeconds } = await quota.buckets.take(name);
    if (granted) return;
    const { limit, who } = quota;
    const detail = `${who} may add ${limit} people to the directory in a day at most; the next in ${waitSeconds} s.`;
    throw quotaProblem(QuotaReached, 'DIRECTORY_ENTRIES_PER_DAY', limit, detail, waitSeconds);
  }
}

async function isUnverified(caller: Caller): Promise<boolean> {
  const user = caller.kind === 'person' ? await findUser(caller.userId) : null;
  return user !== null && verifiedEmailOf(user) === null;
}
