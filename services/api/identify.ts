import type { IncomingHttpHeaders } from 'node:http';
import { readsToken } from '../../contract/access-rule.ts';
import { ANONYMOUS, type Caller } from '../../contract/caller.ts';
import { type ActionContract, takesKey } from '../../contract/contract.ts';
import { isProblem, Problem, Unauthenticated } from '../../contract/problem.ts';
import type { Query } from '../../mixins/gateway/routing/query.ts';
import type { Guess } from '../../mixins/gateway/steps/identify.ts';
import { hashOf } from '../../support/hash.ts';
import { lruCache } from '../../support/lru-cache.ts';
import { TtlCache } from '../../support/ttl-cache.ts';

/** Finds the caller of a token or key; null for an invalid token or key. */
export interface CallerSources {
  ofToken: (token: string) => Promise<Caller | null>;
  ofKey: (key: string) => Promise<Caller | null>;
}

/** Hashes of accepted tokens, and as many of refused ones. Beyond them the oldest hashes are dropped. */
const MAX_HASHES = 50_000;
/** Milliseconds for which a refused token or key is refused without another call of identity. */
const REFUSED_MS = 1_000;

/** The cache of callers, by the hash of their token or key. */
export class Callers {
  readonly #known = new TtlCache<Caller>();
  /** Hashes of tokens and keys that identity accepted at their last check. Their next check does not count as a guess. */
  readonly #accepted = lruCache<string, true>(MAX_HASHES);
  readonly #refused = lruCache<string, true>(MAX_HASHES, { ttl: REFUSED_MS });
  readonly #sources: CallerSources;

  constructor(sources: CallerSources) {
    this.#sources = sources;
  }

  /** Drops all callers: a revocation is rare, and a new check is cheap. */
  drop(): void {
    this.#known.drop();
  }

  /** Finds the caller of a request. An API key goes before a token where the operation takes keys. */
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
    return this.#accepted.has(digest) ? check() : countGuess(guess, check);
  }

  async #ask(kind: Kind, secret: string, digest: string): Promise<Caller> {
    if (this.#refused.has(digest) || !FORM[kind].test(secret)) throw unauthenticated(kind);
    const { ofKey, ofToken } = this.#sources;
    const caller = await (kind === 'key' ? ofKey(secret) : ofToken(secret));
    if (caller) {
      this.#accepted.set(digest, true);
      return Object.freeze(caller);
    }
    this.#accepted.delete(digest);
    this.#refused.set(digest, true);
    throw unauthenticated(kind);
  }
}

type Kind = 'key' | 'token';

/** The form of a token (a JWT) and of an API key. Any other text is refused without a call of identity. */
const FORM: Record<Kind, RegExp> = {
  token: /^[\w-]+\.[\w-]+\.[\w-]+$/,
  key: /^wsk_[\dA-Za-z]{38}$/,
};

/** Counts a failed check as a guess of the client. The check counts from its start, which bounds checks in flight as well. */
async function countGuess(guess: Guess, check: () => Promise<Caller>): Promise<Caller> {
  guess.admit();
  try {
    const caller = await check();
    guess.forget();
    return caller;
  } catch (error) {
    if (!isProblem(error, Unauthenticated)) guess.forget(); // identity is unavailable: the token may be good
    throw error;
  }
}

const unauthenticated = (kind: Kind): Problem =>
  new Problem(
    Unauthenticated,
    kind === 'key'
      ? 'The API key is not valid: it is unknown, expired or revoked.'
      : 'The token is not valid: sign in, or refresh the session.',
  );

/** Characters of a token or key. A longer text is refused and not hashed. */
const MAX_SECRET_LENGTH = 8_192;

function tokenOf(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const token = /^Bearer +([^\s]+) *$/i.exec(header)?.[1];
  if (!token || token.length > MAX_SECRET_LENGTH) throw unauthenticated('token');
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
  if (key !== undefined && key.length > MAX_SECRET_LENGTH) throw unauthenticated('key');
  return key;
}
