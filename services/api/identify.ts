import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { readsToken } from '../../mixins/access-rule.ts';
import type { Caller } from '../../mixins/caller.ts';
import { type ActionContract, takesKey } from '../../mixins/contract.ts';
import type { Query } from '../../mixins/gateway/query.ts';
import { Problem, Unauthenticated } from '../../mixins/problem.ts';
import { ShortMemory } from '../../mixins/short-memory.ts';

const ANONYMOUS: Caller = Object.freeze({ kind: 'anonymous' });

/** Asks whose a token or key is; null when it is no good. */
export interface CallerSources {
  ofToken: (token: string) => Promise<Caller | null>;
  ofKey: (key: string) => Promise<Caller | null>;
}

/** Callers as this gateway knows them, by the hash of what they showed. */
export class Callers {
  readonly #known = new ShortMemory<Caller>();
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
  ): Promise<Caller> {
    if (!readsToken(contract.access)) return ANONYMOUS;
    const key = takesKey(contract) ? keyOf(headers, query) : undefined;
    if (key !== undefined) return this.#check('key', key);
    const token = tokenOf(headers.authorization);
    return token === undefined ? ANONYMOUS : this.#check('token', token);
  }

  async #check(kind: 'key' | 'token', secret: string): Promise<Caller> {
    const hash = `${kind}:${createHash('sha256').update(secret).digest('base64')}`;
    return this.#known.get(hash, async () => {
      const { ofKey, ofToken } = this.#sources;
      const caller = await (kind === 'key' ? ofKey(secret) : ofToken(secret));
      if (!caller) throw unauthenticated(kind);
      return Object.freeze(caller);
    });
  }
}

const unauthenticated = (kind: 'key' | 'token'): Problem =>
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
