import type { ServerResponse } from 'node:http';
import { type Caller, nameOfCaller } from '../../../contract/caller.ts';
import type { Client } from '../../../contract/client.ts';
import { Problem, RateLimited } from '../../../contract/problem.ts';
import { networkOf } from '../../../environment/values/ip-address.ts';
import type { RateLimit } from '../../../environment/values/rate-limit.ts';
import { hashOf } from '../../../support/hash.ts';
import { lruCache } from '../../../support/lru-cache.ts';
import { type Grant, TokenBuckets } from '../../../support/token-buckets.ts';
import { type BucketKind, type RequestCount, RequestCounts } from './request-counts.ts';

/** Good tokens in paths that are remembered. A forgotten token counts for its address once more. */
const MAX_GOOD_TOKENS = 50_000;

/**
 * Limits requests by caller: a user, an API key, or the network of an anonymous client. Checks of unknown tokens
 * have buckets of their own for each network, apart from its anonymous requests. Each gateway has a limiter; a
 * limiter counts the requests that other gateways have admitted as soon as they report them.
 */
export class RateLimiter {
  /** The hashes of tokens in paths that were good at their last use. */
  readonly #goodTokens = lruCache<string, true>(MAX_GOOD_TOKENS);
  readonly #buckets: Readonly<Record<BucketKind, TokenBuckets>>;
  readonly #counts = new RequestCounts();
  readonly #policy: string;

  constructor(limit: RateLimit) {
    this.#buckets = {
      caller: new TokenBuckets(limit),
      network: new TokenBuckets(limit),
      guess: new TokenBuckets(limit),
    };
    this.#policy = `"default";q=${limit.count};w=${limit.seconds}`;
  }

  /** Counts a request; throws 429 where the caller's bucket is empty. */
  admit(caller: Caller, client: Client, res: ServerResponse): void {
    const name = nameOfCaller(caller);
    const grant =
      name === undefined
        ? this.#take('network', networkOf(client.address))
        : this.#take('caller', name);
    this.#assertGranted(grant, res);
  }

  /** Counts a token or key before it is checked; throws 429 where the network's bucket is empty. */
  admitGuess({ address }: Client, res: ServerResponse): void {
    this.#assertGranted(this.#take('guess', networkOf(address)), res);
  }

  /** Takes back the count of a token or key that proved good. */
  forgetGuess({ address }: Client): void {
    const network = networkOf(address);
    this.#buckets.guess.putBack(network);
    this.#counts.add('guess', network, -1);
  }

  /**
   * Counts a request with a token in its path: by the token where it was good before, otherwise as a guess of the
   * network. Throws 429 where the bucket is empty. The result is called with what the token has proved to be.
   */
  admitToken(token: string, client: Client, res: ServerResponse): (isGood: boolean) => void {
    const digest = hashOf(token);
    const wasGood = this.#goodTokens.has(digest);
    if (wasGood) this.#assertGranted(this.#take('caller', `token:${digest}`), res);
    else this.admitGuess(client, res);
    return (isGood) => {
      if (!isGood) this.#goodTokens.delete(digest);
      else if (!wasGood) {
        this.#goodTokens.set(digest, true);
        this.forgetGuess(client);
      }
    };
  }

  /** Returns the requests that this gateway has admitted since the last call, for the other gateways. */
  drainCounts(): RequestCount[] {
    return this.#counts.drain();
  }

  /** Counts requests that another gateway has admitted. */
  chargeCounts(counts: readonly RequestCount[]): void {
    for (const { kind, key, count } of counts) this.#buckets[kind].charge(key, count);
  }

  #take(kind: BucketKind, key: string): Grant {
    const grant = this.#buckets[kind].take(key);
    if (grant.granted) this.#counts.add(kind, key, 1);
    return grant;
  }

  /** Sets the `RateLimit` headers (draft-ietf-httpapi-ratelimit-headers-10); throws 429 for a refused request. */
  #assertGranted({ granted, remaining, waitSeconds }: Grant, res: ServerResponse): void {
    res.setHeader('RateLimit-Policy', this.#policy);
    res.setHeader('RateLimit', `"default";r=${remaining};t=${waitSeconds}`);
    if (granted) return;
    const detail = `There were too many requests; the next is possible in ${waitSeconds} s.`;
    throw new Problem(RateLimited, detail, { retryAfter: waitSeconds });
  }
}
