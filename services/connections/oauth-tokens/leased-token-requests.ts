import type { Share } from '../../../support/fair-shares/share.ts';
import {
  type ClientCredentials,
  CREDENTIAL_CHANGED,
  type OAuthCredential,
  type TokenResult,
  unavailable,
} from './access-token.ts';
import type { SeenToken, TokenNeed } from './token-decision.ts';
import { type FetchTools, fetchToken } from './token-fetcher.ts';
import { NoTurnError, TokenQueue } from './token-queue.ts';
import { claimToken, removeToken } from './token-store.ts';

/** A call's need of a token. */
export interface TokenOrder extends TokenNeed {
  credential: OAuthCredential;
  secret: ClientCredentials;
  /** The time of `performance.now()` by which the call gets a token. */
  end: number;
}

/** Asks token endpoints: each request in the turn of its owner, and with the lease of its credential. */
export class LeasedTokenRequests {
  readonly #tools: FetchTools;
  readonly #exists: (credentialId: number) => Promise<boolean>;
  readonly #queue = new TokenQueue();

  /** `exists` tells whether a credential has not been deleted. */
  constructor(tools: FetchTools, exists: (credentialId: number) => Promise<boolean>) {
    this.#tools = tools;
    this.#exists = exists;
  }

  /**
   * Asks the token endpoint once, in the turn of the share. The lease is taken in the turn, so that a waiting request
   * keeps no other process from asking. Null when another process was first, or has taken the lease.
   */
  async send(order: TokenOrder, seen: SeenToken | null, share: Share): Promise<TokenResult | null> {
    const { stopping, timing } = this.#tools;
    const waitMs = Math.max(0, order.end - performance.now() - timing.leastRequestMs);
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(Math.ceil(waitMs))]);
    try {
      return await this.#queue.run(share, () => this.#sendNow(order, seen), signal);
    } catch (error) {
      if (!(error instanceof NoTurnError)) throw error;
      return stopping.aborted ? STOPPING : NO_TURN;
    }
  }

  /**
   * Asks the token endpoint with a new lease. The lease of a deleted credential, whose document the claim has made
   * again, is removed: the look comes after the claim, and a deletion removes the credential before the token.
   */
  async #sendNow(order: TokenOrder, seen: SeenToken | null): Promise<TokenResult | null> {
    const { credential, secret, refusedToken, end } = order;
    const { requestMs, leaseMs } = this.#tools.timing;
    const lease = await claimToken(credential, seen, leaseMs);
    if (!lease) return null;
    if (seen === null && !(await this.#exists(credential.id))) {
      await removeToken(credential.id);
      return CREDENTIAL_CHANGED;
    }
    const replacesRefused = refusedToken !== undefined && lease.claimed.token?.id === refusedToken;
    const timeoutMs = Math.min(requestMs, end - performance.now());
    return fetchToken({ credential, secret, lease, replacesRefused, timeoutMs }, this.#tools);
  }
}

const NO_TURN = unavailable(
  "Other token requests of the workspace's owner, or of all owners, took the time of the call.",
);
export const STOPPING = unavailable('The service stops.');
