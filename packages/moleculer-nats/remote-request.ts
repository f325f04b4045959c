import { type CallingOptions, type Context, Errors } from 'moleculer';
import { isUndelivered, LostCallError, NoRespondersError } from './errors.ts';
import { removePendingCall, timeoutErrorOf } from './pending-calls.ts';
import { isReadable } from './stream-offer.ts';

/** Milliseconds between the first and the second hedge. Each later delay is twice as long as the one before, */
const SECOND_HEDGE_DELAY_MS = 600;
/** and no longer than these milliseconds. */
const MAX_HEDGE_DELAY_MS = 3_000;
/**
 * Repeats in flight beyond the number of idempotent calls in flight. Where every callee is slow, more
 * would slow them further; where one of two processes is frozen, fewer would not reach the other.
 */
const HEDGE_BUDGET = 16;
/** Milliseconds until a repeat that found the budget used up is tried again. */
const BUDGET_RETRY_MS = 100;
/** Milliseconds that a call without a responder is sent again. Beyond them its caller gets `unavailable`. */
const UNDELIVERED_RETRY_MS = 2_000;
/** Milliseconds between two such attempts. */
const UNDELIVERED_RETRY_STEP_MS = 100;
/** Milliseconds after the deadline, which Moleculer watches, at which the call ends here in any case. */
const DEADLINE_GRACE_MS = 50;

/** The context of a call whose timeout, in milliseconds from now, has been set. */
export type RemoteContext = Context & { options: CallingOptions & { timeout: number } };
/** Sends a call to a process that has the action, and resolves with the response. */
export type Send = (ctx: RemoteContext) => Promise<unknown>;

/** The idempotent calls of this process in flight, and their repeats in flight. */
export interface HedgeBudget {
  calls: number;
  repeats: number;
}

/** When a call that may be carried out more than once is sent again. */
export interface Hedging {
  /** Shared by all such calls of a process. */
  budget: HedgeBudget;
  /** Milliseconds without an answer until the call is sent a second time. A call that was lost is sent again at once. */
  delayMs: number;
  /** The parameter with the milliseconds that the action is asked to wait. A repeat asks for what is left of them. */
  waitParam?: string | undefined;
}

export interface RemoteRequestOptions {
  /** Without it the call is sent once. */
  hedging?: Hedging | undefined;
  /** Makes the error of a call that no process has taken in time. */
  unavailable(): Error;
}

/** One call to other processes, from the first message to the end of the call. */
export class RemoteRequest {
  readonly #send: Send;
  readonly #ctx: RemoteContext;
  readonly #begin = performance.now();
  readonly #deadline: number;
  readonly #hedging: Hedging | undefined;
  readonly #unavailable: () => Error;
  readonly #ids: string[] = [];
  #nextHedgeDelay = SECOND_HEDGE_DELAY_MS;
  #hedgeTimer: NodeJS.Timeout | undefined;
  /** The messages that have no outcome yet. */
  #pendingMessages = 0;
  #hasEnded = false;

  constructor(send: Send, ctx: RemoteContext, { hedging, unavailable }: RemoteRequestOptions) {
    this.#send = send;
    this.#ctx = ctx;
    this.#hedging = hedging;
    this.#unavailable = unavailable;
    this.#deadline = this.#begin + ctx.options.timeout;
  }

  /** Resolves with the first response to any of the call's messages. */
  async response(): Promise<unknown> {
    let deadlineTimer: NodeJS.Timeout | undefined;
    if (this.#hedging) this.#hedging.budget.calls++;
    try {
      return await new Promise((resolve, reject) => {
        let hasResponse = false;
        const expire = () => reject(timeoutErrorOf(this.#ctx));
        deadlineTimer = setTimeout(expire, this.#ctx.options.timeout + DEADLINE_GRACE_MS).unref();
        const attempt = async (ctx: RemoteContext) => {
          this.#pendingMessages++;
          try {
            const response = await this.#sendUntilDelivered(ctx);
            if (hasResponse && isReadable(response)) response.destroy(); // nobody reads the stream
            hasResponse = true;
            resolve(response);
          } catch (error) {
            // One message of a hedged call may be lost while another is answered.
            if (!this.#hedging || !(error instanceof Errors.RequestTimeoutError)) reject(error);
            else if (error instanceof LostCallError && this.#pendingMessages === 1) {
              this.#scheduleHedge(this.#hedging, attempt, 0);
            }
          } finally {
            this.#pendingMessages--;
          }
        };
        void attempt(this.#ctx);
        if (this.#hedging) this.#scheduleHedge(this.#hedging, attempt, this.#hedging.delayMs);
      });
    } finally {
      clearTimeout(deadlineTimer);
      this.#end();
    }
  }

  /**
   * Sends the call again after that delay, in place of a hedge that was to come. A delay beyond the deadline, which may be
   * more than a timer can hold, sends nothing.
   */
  #scheduleHedge(
    { budget }: Hedging,
    attempt: (ctx: RemoteContext) => Promise<void>,
    delayMs: number,
  ): void {
    if (this.#hasEnded || delayMs >= this.#deadline - performance.now()) return;
    const hedge = async () => {
      if (budget.repeats >= budget.calls + HEDGE_BUDGET) {
        this.#hedgeTimer = setTimeout(hedge, BUDGET_RETRY_MS);
        return;
      }
      this.#hedgeTimer = setTimeout(hedge, this.#nextHedgeDelay);
      this.#nextHedgeDelay = Math.min(this.#nextHedgeDelay * 2, MAX_HEDGE_DELAY_MS);
      budget.repeats++;
      try {
        await attempt(this.#copyContext());
      } finally {
        budget.repeats--;
      }
    };
    clearTimeout(this.#hedgeTimer);
    this.#hedgeTimer = setTimeout(hedge, delayMs);
  }

  /** The same call with an id of its own and the time that is left. */
  #copyContext(): RemoteContext {
    const { options } = this.#ctx;
    const copy = this.#ctx.copy(this.#ctx.endpoint as never) as unknown as RemoteContext;
    copy.nodeID = options.nodeID ?? null; // else Moleculer would send the call to the endpoint's node
    copy.options = { ...options, timeout: Math.max(1, this.#deadline - performance.now()) };
    copy.params = this.#paramsOfRepeat();
    return copy;
  }

  /** The parameters, with what is left of the wait. A wait that is no number is left to the action's validation. */
  #paramsOfRepeat(): RemoteContext['params'] {
    const { params } = this.#ctx;
    const { waitParam } = this.#hedging ?? {};
    const wait = waitOf(params, waitParam);
    if (waitParam === undefined || wait === 0) return params;
    const left = Math.max(0, Math.round(wait - (performance.now() - this.#begin)));
    return { ...(params as object), [waitParam]: left };
  }

  /** An undelivered call was not carried out, so that even a write is sent again. */
  async #sendUntilDelivered(ctx: RemoteContext): Promise<unknown> {
    this.#ids.push(ctx.id);
    let end = 0;
    for (;;) {
      try {
        // Moleculer would log each call that the transporter refuses.
        if (!ctx.broker.transit?.tx.connected) throw new NoRespondersError();
        return await this.#send(ctx);
      } catch (error) {
        if (!isUndelivered(error)) throw error;
        end ||= Math.min(
          performance.now() + UNDELIVERED_RETRY_MS,
          this.#deadline - UNDELIVERED_RETRY_STEP_MS,
        );
        if (this.#hasEnded || performance.now() > end) throw this.#unavailable();
        await new Promise((resolve) => setTimeout(resolve, UNDELIVERED_RETRY_STEP_MS));
        if (this.#hasEnded) throw error;
      }
    }
  }

  #end(): void {
    this.#hasEnded = true;
    if (this.#hedging) this.#hedging.budget.calls--;
    clearTimeout(this.#hedgeTimer);
    const { transit } = this.#ctx.broker;
    if (!transit) return;
    for (const id of this.#ids) removePendingCall(transit, id)?.reject(timeoutErrorOf(this.#ctx));
  }
}

/** Milliseconds that the call asks its action to wait. The parameters are not validated yet and may hold anything. */
export function waitOf(params: unknown, waitParam: string | undefined): number {
  if (waitParam === undefined) return 0;
  const wait = Number((params as Record<string, unknown> | null)?.[waitParam]);
  return wait > 0 ? wait : 0;
}
