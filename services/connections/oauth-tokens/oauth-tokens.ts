import { setTimeout as sleep } from 'node:timers/promises';
import type { OutboundClient } from '@workspace-automation/outbound-http';
import type { Share } from '../../../support/fair-shares/share.ts';
import type { FieldSealer } from '../envelope/field-sealer.ts';
import {
  type ClientCredentials,
  CREDENTIAL_CHANGED,
  type OAuthCredential,
  type TokenResult,
  unavailable,
} from './access-token.ts';
import { refusedTokenUrl } from './allowed-token-url.ts';
import { LeasedTokenRequests, STOPPING, type TokenOrder } from './leased-token-requests.ts';
import { openToken } from './sealed-token.ts';
import { decideToken, type SeenToken } from './token-decision.ts';
import type { FetchTools } from './token-fetcher.ts';
import { findToken } from './token-store.ts';
import { TOKEN_TIMING, type TokenTiming } from './token-timing.ts';
import { type TokenSearch, WaitingCallers } from './waiting-callers.ts';

export interface OAuthTokensOptions {
  outbound: OutboundClient;
  sealer: FieldSealer;
  /** Whether a credential has not been deleted. */
  exists: (credentialId: number) => Promise<boolean>;
  /** The share of a workspace, in whose turn its token requests are sent. */
  shareOf: (workspaceId: number) => Promise<Share>;
  /** Takes the errors of renewals that no call waits for. */
  onError: (error: unknown) => void;
  timing?: Partial<TokenTiming>;
}

/**
 * The access tokens of OAuth credentials. The database keeps the tokens, sealed, and the lease by which one process
 * at a time asks a token endpoint for a credential.
 */
export class OAuthTokens {
  readonly #tools: FetchTools;
  readonly #requests: LeasedTokenRequests;
  readonly #onError: (error: unknown) => void;
  readonly #shareOf: OAuthTokensOptions['shareOf'];
  readonly #stopping = new AbortController();
  readonly #callers = new WaitingCallers();
  /** The searches in flight by credential, secret and refused token. Callers with the same need share a search. */
  readonly #inFlight = new Map<string, TokenSearch>();
  /** The renewals in flight by credential and secret. */
  readonly #renewals = new Map<string, Promise<void>>();

  constructor({ outbound, sealer, exists, shareOf, onError, timing }: OAuthTokensOptions) {
    this.#onError = onError;
    this.#shareOf = shareOf;
    this.#tools = {
      outbound,
      sealer,
      timing: { ...TOKEN_TIMING, ...timing },
      stopping: this.#stopping.signal,
    };
    this.#requests = new LeasedTokenRequests(this.#tools, exists);
  }

  /**
   * Returns a token that is valid now: the stored one, or a new one of the token endpoint. `refusedToken` is the id of
   * a token that a server has answered with 401. The result is the same token where it has just replaced another
   * refused one.
   */
  async accessTokenOf(
    credential: OAuthCredential,
    secret: ClientCredentials,
    { refusedToken }: { refusedToken?: string | undefined } = {},
  ): Promise<TokenResult> {
    const refusal = refusedTokenUrl(credential, secret);
    if (refusal) return refusal;
    const { id, secretVersion } = credential;
    const key = `${id}/${secretVersion}/${refusedToken ?? ''}`;
    const earlier = this.#inFlight.get(key);
    if (earlier) return this.#callers.join(earlier);
    const end = this.#endOfBudget();
    const started = { callers: 1, owner: null };
    const order = { credential, secret, secretVersion, refusedToken, end };
    const search: TokenSearch = Object.assign(started, { result: this.#obtain(order, started) });
    this.#inFlight.set(key, search);
    return search.result.finally(() => {
      this.#inFlight.delete(key);
      this.#callers.end(search);
    });
  }

  /** Returns the values of the credential's tokens that servers may still accept, for masks. */
  async valuesToMask(credential: Pick<OAuthCredential, 'id' | 'workspaceId'>): Promise<string[]> {
    const seen = await findToken(credential.id);
    if (!seen) return [];
    const tokens = seen.token ? [seen.token, ...seen.earlier] : seen.earlier;
    const valid = tokens.filter(({ expiresAt }) => expiresAt > seen.now);
    const { sealer } = this.#tools;
    return Promise.all(valid.map(({ sealed }) => openToken(sealer, credential, sealed)));
  }

  /** Aborts all requests and gives their leases back. */
  async close(): Promise<void> {
    this.#stopping.abort();
    const results = [...this.#inFlight.values()].map(({ result }) => result);
    await Promise.allSettled([...results, ...this.#renewals.values()]);
  }

  async #obtain(order: TokenOrder, callers: Omit<TokenSearch, 'result'>): Promise<TokenResult> {
    const { timing, stopping, sealer } = this.#tools;
    const { credential } = order;
    for (let hasFetched = false; ; ) {
      const seen = await findToken(credential.id);
      if (!seen && hasFetched) return CREDENTIAL_CHANGED;
      const decision = decideToken(seen, order);
      if (decision.kind === 'fail') return decision.failure;
      if (decision.kind === 'use') {
        const { token, renew } = decision;
        if (renew) this.#renew(order, seen);
        const value = await openToken(sealer, credential, token.sealed);
        return { ok: true, value, tokenId: token.id };
      }
      if (stopping.aborted) return STOPPING;
      if (order.end - performance.now() < timing.leastRequestMs) return STILL_WAITING;
      const share = await this.#shareOf(credential.workspaceId);
      const refusal = this.#callers.begin(callers, share.owner);
      if (refusal) return refusal;
      if (decision.kind === 'wait') {
        await sleep(timing.pollMs, undefined, { signal: stopping }).catch(() => undefined);
        continue;
      }
      const result = await this.#requests.send(order, seen, share);
      if (result) return result;
      hasFetched = true;
    }
  }

  #endOfBudget = (): number => performance.now() + this.#tools.timing.budgetMs;

  /** Fetches another token while callers use the present one. */
  #renew(order: TokenOrder, seen: SeenToken | null): void {
    const { id, secretVersion, workspaceId } = order.credential;
    const key = `${id}/${secretVersion}`;
    if (this.#stopping.signal.aborted || this.#renewals.has(key)) return;
    const fetch = async (): Promise<void> => {
      const share = await this.#shareOf(workspaceId);
      await this.#requests.send({ ...order, end: this.#endOfBudget() }, seen, share);
    };
    const renewal = fetch()
      .catch(this.#onError)
      .finally(() => this.#renewals.delete(key));
    this.#renewals.set(key, renewal);
  }
}

const STILL_WAITING = unavailable('The token endpoint has not answered other calls in time.');
