import { setTimeout as sleep } from 'node:timers/promises';
import type { LRUCache } from 'lru-cache';
import type { Client } from '../../../contract/client.ts';
import { Problem } from '../../../contract/problem.ts';
import { networkOf } from '../../../environment/values/ip-address.ts';
import type { RateLimit } from '../../../environment/values/rate-limit.ts';
import { type Buckets, SharedTokenBuckets } from '../../../mixins/database/shared-token-buckets.ts';
import type { UserDocument } from '../../../models/user.model.ts';
import { lruCache } from '../../../support/lru-cache.ts';
import type { Grant, ResetBucket } from '../../../support/token-buckets.ts';
import type { ResetCounter } from '../contract/operations.ts';
import { TooManyAttempts } from '../identity.problems.ts';
import { findKnownNetwork } from './known-networks.ts';

/** The attempts of one network, as a multiple of the attempts of one account. Further attempts get 429. */
const NETWORK_FACTOR = 5;
/**
 * Milliseconds between two attempts of one network that a process begins. A flood of one network, most of which is
 * refused, would fill the event loop otherwise.
 */
const PACE_MS = 50;
/** Milliseconds that an attempt waits behind earlier ones of its network. Further attempts get 429 at once. */
const MAX_WAIT_MS = 3_000;
/** Networks in memory for the pace. Beyond it an attempt of the oldest network begins at once. */
const MAX_PACED = 10_000;
/** Locked accounts in memory, so that each lock is logged once. Beyond it the oldest lock may be logged again. */
const MAX_LOCKED = 10_000;

/** An attempt to give the password of an account, whether the account exists or not. */
export interface Attempt {
  emailKey: string;
  /** Null for an address without account. */
  user: UserDocument | null;
  client: Client;
  /** The session of the attempt; without a session the attempt counts by the client's network. */
  sessionId?: string;
}

/** The account, and the client address if any, whose counters are reset. */
export interface Counters {
  emailKey: string;
  /** The stored hashes of the account's known networks. */
  knownHashes: readonly string[];
  sessionIds: readonly string[];
  address?: string | undefined;
}

type MakeBuckets = (name: string, limit: RateLimit) => Buckets;
const inDatabase: MakeBuckets = (name, limit) => new SharedTokenBuckets(name, limit);

/**
 * Limits attempts at passwords and client secrets over all processes, before one is compared. Each known network and
 * each session of an account has a bucket of its own; all other networks share one, so that strangers lock only each
 * other out. Attempts count against the network first, so that a network makes few buckets of accounts.
 */
export class SignInLimits {
  readonly #networks: Buckets | null;
  readonly #accounts: Buckets | null;
  readonly #forgot: Buckets | null;
  readonly #locked: LRUCache<string, true>;
  readonly #paceMs: number;
  /** The earliest begin of the next attempt, by network, in milliseconds of the monotonic clock. */
  readonly #nextBegin = lruCache<string, number>(MAX_PACED);

  constructor(limit: RateLimit | null, make = inDatabase, paceMs = PACE_MS) {
    const ofNetwork = limit && { ...limit, count: NETWORK_FACTOR * limit.count };
    // No slower than the limit itself, which an operator may have raised.
    this.#paceMs = ofNetwork ? Math.min(paceMs, (1_000 * ofNetwork.seconds) / ofNetwork.count) : 0;
    this.#networks = ofNetwork && make('sign-in network', ofNetwork);
    this.#accounts = limit && make('sign-in account', limit);
    this.#forgot = limit && make('forgot password', limit);
    this.#locked = lruCache(MAX_LOCKED, { ttl: (limit?.seconds ?? 1) * 1_000 });
  }

  /**
   * Counts an attempt of the client's network for any account, `PACE_MS` after the network's last one at the earliest;
   * throws 429 beyond the limit, and where too many attempts of the network wait.
   */
  async admitNetwork({ address }: Client): Promise<void> {
    const network = networkOf(address);
    await this.#waitForTurn(network);
    assertGranted(await this.#networks?.take(network));
  }

  async #waitForTurn(network: string): Promise<void> {
    const now = performance.now();
    const begin = Math.max(now, this.#nextBegin.get(network) ?? 0);
    const waitMs = begin - now;
    if (waitMs > MAX_WAIT_MS) throw tooMany('attempts at once', Math.ceil(waitMs / 1_000));
    this.#nextBegin.set(network, begin + this.#paceMs);
    if (waitMs > 0) await sleep(waitMs);
  }

  /**
   * Counts a request for a new password; throws 429 beyond the limit. Each pair of network and account has
   * a bucket, so that a stranger cannot use up the owner's requests.
   */
  async admitForgot(emailKey: string, client: Client): Promise<void> {
    await this.admitNetwork(client);
    const key = forgotOf(emailKey, client.address);
    assertGranted(await this.#forgot?.take(key), 'requests for a new password');
  }

  /**
   * Counts an attempt at a client secret, against the network and the account; throws 429 beyond the limit. Each pair of
   * network and client id has a bucket, so that a stranger who knows the id cannot lock the account.
   */
  async admitClient(clientId: string, client: Client): Promise<void> {
    await this.admitNetwork(client);
    const key = `client:${networkOf(client.address)}:${clientId}`;
    assertGranted(await this.#accounts?.take(key));
  }

  /**
   * Counts an attempt at the account; throws 429 beyond the limit.
   *
   * @param onLock is called for the first refused attempt within the limit's time
   */
  async admitAccount(attempt: Attempt, onLock: () => void): Promise<void> {
    const key = bucketOf(attempt);
    const quota = await this.#accounts?.take(key);
    if (quota && !quota.granted && !this.#locked.has(key)) {
      this.#locked.set(key, true);
      onLock();
    }
    assertGranted(quota);
  }

  /** Resets the counters of attempts at an account, and those of the client's address where one is given. */
  async reset({ emailKey, knownHashes, sessionIds, address }: Counters): Promise<ResetCounter[]> {
    const accounts = [
      ['unknown networks', strangersOf(emailKey)],
      ...knownHashes.map((hash) => ['known network', knownNetworkOf(hash, emailKey)] as const),
      ...sessionIds.map((id) => ['session', sessionOf(id)] as const),
    ] as const;
    const reset = accounts.map(([of, key]) => resetOne(of, this.#accounts, key));
    if (address !== undefined) {
      reset.push(resetOne('address', this.#networks, networkOf(address)));
      reset.push(resetOne('forgot', this.#forgot, forgotOf(emailKey, address)));
    }
    const counters = await Promise.all(reset);
    this.forget();
    return counters;
  }

  /** Drops what this process remembers of locks, after a reset in any process. */
  forget(): void {
    this.#locked.clear();
    for (const buckets of [this.#networks, this.#accounts, this.#forgot]) buckets?.forget?.();
  }
}

async function resetOne(
  of: ResetCounter['of'],
  buckets: Buckets | null,
  key: string,
): Promise<ResetCounter> {
  const { taken, empty }: ResetBucket = (await buckets?.reset(key)) ?? { taken: 0, empty: false };
  return { of, attempts: taken, locked: empty };
}

function bucketOf({ emailKey, user, client, sessionId }: Attempt): string {
  if (sessionId !== undefined) return sessionOf(sessionId);
  const network = findKnownNetwork(user, client);
  return network === null ? strangersOf(emailKey) : knownNetworkOf(network, emailKey);
}

const sessionOf = (sessionId: string): string => `session:${sessionId}`;
const strangersOf = (emailKey: string): string => `strangers:${emailKey}`;
/** The bucket of a known network has its stored hash in its key, so that `reset` finds the bucket without the address. */
const knownNetworkOf = (hash: string, emailKey: string): string => `known:${hash}:${emailKey}`;
const forgotOf = (emailKey: string, address: string): string => `${networkOf(address)}:${emailKey}`;

function assertGranted(grant: Grant | undefined, what = 'attempts'): void {
  if (!grant || grant.granted) return;
  throw tooMany(what, grant.waitSeconds);
}

const tooMany = (what: string, waitSeconds: number): Problem =>
  new Problem(
    TooManyAttempts,
    `There were too many ${what}; the next is possible in ${waitSeconds} s.`,
    { retryAfter: waitSeconds },
  );
