import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';
import { readsToken } from '../../contract/access-rule.ts';
import { ANONYMOUS, type Caller } from '../../contract/caller.ts';
import { type ActionContract, takesKey } from '../../contract/contract.ts';
import { Problem, Unauthenticated } from '../../contract/problem.ts';
import type { Query } from '../../mixins/gateway/routing/query.ts';
import type { Guess } from '../../mixins/gateway/steps/identify.ts';
import { hashOf } from '../../support/hash.ts';
import { TtlCache } from '../../support/ttl-cache.ts';

/** Asks whose a token or key is; null when it is no good. */
export interface CallerSources {
  ofToken: (token: string) => Promise<Caller | null>;
  ofKey: (key: string) => Promise<Caller | null>;
}

/** Hashes that are kept of good tokens and of refused ones; beyond it the oldest are forgotten. */
const MAX_HASHES = 50_000;
/** Milliseconds for which a refused token or key is refused without asking again. */
const REFUSED_MS = 1_000;

/** Callers as this gateway knows them, by the hash of what they showed. */
export class Callers {
  readonly #known = new TtlCache<Caller>();
  /** Hashes of the tokens and keys that identity accepted at their last check: their next check is no guess. */
  readonly #familiar = new LRUCache<string, true>({ max: MAX_HASHES });
  readonly #refused = new LRUCache<string, true>({ max: MAX_HASHES, ttl: REFUSED_MS });
  readonly #sources: CallerSources;

  constructor(sources: CallerSources) {
    this.#sources = sources;
  }

  /** Forgets everybody: revocation is rare, asking again is cheap. */
  drop(): void {
    this.#known.drop();
  }

  /** Who sends the request. A key given to an operation that takes one decides. */
  async identify(
    contract: ActionContract,
    headers: IncomingHttpHeaders,
    query: Query,
    guess: Guess,
  ): Promise<Caller> {
    if (!readsToken(contract.access)) return ANONYMOUS;
    const key = takesKey(contract) ? keyOf(headers, query) : undefined;
    if (key !== undefined) return this.#check('key', key, guess);
    const token = tokenOf(headers.authorization);
    return token === undefined ? ANONYMOUS : this.#check('token', token, guess);
  }

  async #check(kind: Kind, secret: string, guess: Guess): Promise<Caller> {
    const digest = `${kind}:${hashOf(secret)}`;
    const check = () => this.#known.get(digest, () => this.#ask(kind, secret, digest));
    return this.#familiar.has(digest) ? check() : guessed(guess, check);
  }

  async #ask(kind: Kind, secret: string, digest: string): Promise<Caller> {
    if (this.#refused.has(digest) || !FORM[kind].test(secret)) throw unauthenticated(kind);
    const { ofKey, ofToken } = this.#sources;
    const caller = await (kind === 'key' ? ofKey(secret) : ofToken(secret));
    if (caller) {
      this.#familiar.set(digest, true);
      return Object.freeze(caller);
    }
    this.#familiar.delete(digest);
    this.#refused.set(digest, true);
    throw unauthenticated(kind);
  }
}

type Kind = 'key' | 'token';

/** What could be a token (a JWT) or a key at all; nobody is asked about anything else. */
const FORM: Record<Kind, RegExp> = {
  token: /^[\w-]+\.[\w-]+\.[\w-]+$/,
  key: /^wsk_[\dA-Za-z]{38}$/,
};

/** Counts a check that fails as a guess of the client. It counts from the start, so that a flood of checks at once is bounded as well. */
async function guessed(guess: Guess, check: () => Promise<Caller>): Promise<Caller> {
  guess.admit();
  try {
    const caller = await check();
    guess.forget();
    return caller;
  } catch (error) {
    if (!isUnauthenticated(error)) guess.forget(); // identity cannot be reached: the client is not at fault
    throw error;
  }
}

const isUnauthenticated = (error: unknown): boolean =>
  error instanceof Problem && error.type === Unauthenticated.code;

const unauthenticated = (kind: Kind): Problem =>
  new Problem(
    Unauthenticated,
    kind === 'key'
      ? 'The API key is not valid: it is unknown, expired or revoked.'
      : 'The token is not valid: sign in, or refresh the session.',
  );

/** An access token is short; whatever is longer is not looked at. */
const LONGEST = 8_192;

function tokenOf(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const token = /^Bearer +([^\s]+) *$/i.exec(header)?.[1];
  if (!token || token.length > LONGEST) throw unauthenticated('token');
  return token;
}

function keyOf(headers: IncomingHttpHeaders, query: Query): string | undefined {
  const inHeader = headers['x-api-key'];
  const inQuery = query.values.api_key;
  if (
    Array.isArray(inHeader) ||
    (inHeader !== undefined && inQuery !== undefined && inHeader !== inQuery)
  ) {
    throw unauthenticated('key');
  }
  const key = inHeader ?? inQuery;
  if (key !== undefined && key.length > LONGEST) throw unauthenticated('key');
  return key;
}
