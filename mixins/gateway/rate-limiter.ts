import type { ServerResponse } from 'node:http';
import { type Caller, nameOfCaller } from '../caller.ts';
import type { Client } from '../client.ts';
import { Problem, RateLimited } from '../problem.ts';
import { type Grant, type RateLimit, TokenBuckets } from '../token-buckets.ts';
import { networkOf } from './ip-address.ts';

/**
 * Limits requests by caller: a user, an API key, or the network of an anonymous client. Callers and
 * networks have buckets apart, so that no number of addresses makes the gateway forget a caller's.
 */
export class RateLimiter {
  readonly #callers: TokenBuckets;
  readonly #networks: TokenBuckets;
  readonly #policy: string;

  constructor(limit: RateLimit) {
    this.#callers = new TokenBuckets(limit);
    this.#networks = new TokenBuckets(limit);
    this.#policy = `"default";q=${limit.count};w=${limit.seconds}`;
  }

  /** Counts a request; throws 429 when the caller has none left. */
  admit(caller: Caller, client: Client, res: ServerResponse): void {
    const name = nameOfCaller(caller);
    if (name === undefined) this.admitGuess(client, res);
    else this.#assertGranted(this.#callers.take(name), res);
  }

  /** Counts a token or key that may be wrong, before anybody is asked; throws 429 when none is left. */
  admitGuess({ address }: Client, res: ServerResponse): void {
    this.#assertGranted(this.#networks.take(networkOf(address)), res);
  }

  /** The guess was right: it does not count. */
  forgetGuess({ address }: Client): void {
    this.#networks.putBack(networkOf(address));
  }

  /** Tells the client what is left (draft-ietf-httpapi-ratelimit-headers-10). */
  #assertGranted({ granted, remaining, waitSeconds }: Grant, res: ServerResponse): void {
    res.setHeader('RateLimit-Policy', this.#policy);
    res.setHeader('RateLimit', `"default";r=${remaining};t=${waitSeconds}`);
    if (granted) return;
    const detail = `There were too many requests; the next is possible in ${waitSeconds} s.`;
    throw new Problem(RateLimited, detail, { retryAfter: waitSeconds });
  }
}
