import type { ServerResponse } from 'node:http';
import { type Caller, nameOfCaller } from '../../../contract/caller.ts';
import type { Client } from '../../../contract/client.ts';
import { Problem, RateLimited } from '../../../contract/problem.ts';
import { networkOf } from '../../../environment/values/ip-address.ts';
import type { RateLimit } from '../../../environment/values/rate-limit.ts';
import { type Grant, TokenBuckets } from '../../../support/token-buckets.ts';

/**
 * Limits requests by caller: a user, an API key, or the network of an anonymous client. Checks of unknown tokens
 * have buckets of their own for each network, apart from its anonymous requests.
 */
export class RateLimiter {
  readonly #callers: TokenBuckets;
  readonly #networks: TokenBuckets;
  readonly #guesses: TokenBuckets;
  readonly #policy: string;

  constructor(limit: RateLimit) {
    this.#callers = new TokenBuckets(limit);
    this.#networks = new TokenBuckets(limit);
    this.#guesses = new TokenBuckets(limit);
    this.#policy = `"default";q=${limit.count};w=${limit.seconds}`;
  }

  /** Counts a request; throws 429 where the caller's bucket is empty. */
  admit(caller: Caller, client: Client, res: ServerResponse): void {
    const name = nameOfCaller(caller);
    const grant =
      name === undefined
        ? this.#networks.take(networkOf(client.address))
        : this.#callers.take(name);
    this.#assertGranted(grant, res);
  }

  /** Counts a token or key before it is checked; throws 429 where the network's bucket is empty. */
  admitGuess({ address }: Client, res: ServerResponse): void {
    this.#assertGranted(this.#guesses.take(networkOf(address)), res);
  }

  /** Takes back the count of a token or key that proved good. */
  forgetGuess({ address }: Client): void {
    this.#guesses.putBack(networkOf(address));
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
