import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { ANONYMOUS, type Caller } from '../../../contract/caller.ts';
import type { ActionContract } from '../../../contract/contract.ts';
import { tokenNeeded } from '../../../contract/problem.ts';
import type { GatewayRequest } from '../gateway-request.ts';
import { assertOneCredential } from '../headers/single-headers.ts';
import type { RateLimiter } from '../limits/rate-limiter.ts';
import type { Query } from '../routing/query.ts';

/** A token or key that the client shows and that may be wrong. */
export interface Guess {
  /** Counts it against the client; throws 429 when the client has guessed too often. */
  admit(): void;
  /** Does not count it after all. */
  forget(): void;
}

/** Who sends the request, by its key or token; throws 401 for one that is no good. */
export type Identify = (
  contract: ActionContract,
  headers: IncomingHttpHeaders,
  query: Query,
  guess: Guess,
) => Promise<Caller>;

/**
 * Decides whether a request is worked on: who sends it (401), and whether not too many come (429).
 * It comes before moleculer-web, since a refusal that passes through a call costs three times as much.
 */
export class Admission {
  readonly #identify: Identify;
  /** Null where requests are not limited. */
  readonly #limiter: RateLimiter | null;

  constructor(identify: Identify, limiter: RateLimiter | null) {
    this.#identify = identify;
    this.#limiter = limiter;
  }

  /** Sets the request's caller, or throws. */
  async admit(req: GatewayRequest, res: ServerResponse): Promise<void> {
    const { route, query } = req.match;
    const { contract } = route;
    assertOneCredential(req);
    req.caller = await this.#identify(contract, req.headers, query, this.#guessOf(req, res));
    if (req.caller.kind === 'anonymous' && contract.access.who !== 'public') throw tokenNeeded();
    if (!contract.unlimited) this.#limiter?.admit(req.caller, req.client, res);
  }

  /** A file of the reference is for everybody. */
  admitFile(req: GatewayRequest, res: ServerResponse): void {
    this.#limiter?.admit(ANONYMOUS, req.client, res);
  }

  #guessOf({ client }: GatewayRequest, res: ServerResponse): Guess {
    return {
      admit: () => this.#limiter?.admitGuess(client, res),
      forget: () => this.#limiter?.forgetGuess(client),
    };
  }
}
