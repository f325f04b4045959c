import type { ShareOwner } from '../../../support/fair-shares/share.ts';
import { type TokenResult, unavailable } from './access-token.ts';

/** Callers of this process that wait for tokens. Further callers that would wait are refused. */
const MAX_CALLERS = 10_000;
/** Callers of one owner that wait for tokens. Further callers of the owner that would wait are refused. */
const MAX_PER_OWNER = 2_500;

/** A search for a token, which callers with the same need share. */
export interface TokenSearch {
  result: Promise<TokenResult>;
  callers: number;
  /** The owner whose callers wait; null as long as the stored token may do. */
  owner: ShareOwner | null;
}

/** Counts the callers that wait for token requests by their owner, because each of them takes memory. */
export class WaitingCallers {
  readonly #byOwner = new Map<ShareOwner, number>();
  #all = 0;

  /** Adds a caller to a search. Returns the search's result, or the refusal of the caller. */
  join(search: TokenSearch): Promise<TokenResult> | TokenResult {
    if (search.owner !== null && !this.#add(search.owner, 1)) return TOO_MANY_CALLERS;
    search.callers++;
    return search.result;
  }

  /** Counts the callers of a search from now on. Returns the refusal of all of them where they are too many. */
  begin(search: Omit<TokenSearch, 'result'>, owner: ShareOwner): TokenResult | null {
    if (search.owner !== null) return null;
    if (!this.#add(owner, search.callers)) return TOO_MANY_CALLERS;
    search.owner = owner;
    return null;
  }

  end({ owner, callers }: Omit<TokenSearch, 'result'>): void {
    if (owner !== null) this.#count(owner, -callers);
  }

  #add(owner: ShareOwner, callers: number): boolean {
    const ofOwner = this.#byOwner.get(owner) ?? 0;
    if (ofOwner + callers > MAX_PER_OWNER || this.#all + callers > MAX_CALLERS) return false;
    this.#count(owner, callers);
    return true;
  }

  #count(owner: ShareOwner, change: number): void {
    this.#all += change;
    const count = (this.#byOwner.get(owner) ?? 0) + change;
    if (count > 0) this.#byOwner.set(owner, count);
    else this.#byOwner.delete(owner);
  }
}

const TOO_MANY_CALLERS = unavailable(
  "Too many calls of the workspace's owner wait for access tokens. Try again later.",
);
