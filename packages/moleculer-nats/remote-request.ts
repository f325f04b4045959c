import { type CallingOptions, type Context, Errors } from 'moleculer';
import { isUndelivered, NoRespondersError } from './errors.ts';
import { removePendingCall, timeoutErrorOf } from './pending-calls.ts';
import { isReadable } from './stream-offer.ts';

/** Milliseconds until an idempotent call is sent a second time; each later delay is three times as long, */
const FIRST_HEDGE_DELAY_MS = 300;
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

export interface RemoteRequestOptions {
  /** Shared by all idempotent calls of a process. Without a budget the call is sent once. */
  hedgeBudget?: HedgeBudget | undefined;
  /** Makes the error of a call that no process has taken in time. */
  unavailable(): Error;
}

/** One call to other processes, from the first message to the end of the call. */
export class RemoteRequest {
  readonly #send: Send;
  readonly #ctx: RemoteContext;
  readonly #deadline: number;
  readonly #hedgeBudget: HedgeBudget | undefined;
  readonly #unavailable: () => Error;
  readonly #ids: string[] = [];
  #hedgeDelay = FIRST_HEDGE_DELAY_MS;
  #hedgeTimer: NodeJS.Timeout | undefined;
  #hasEnded = false;

  constructor(send: Send, ctx: RemoteContext, { hedgeBudget, unavailable }: RemoteRequestOptions) {
    this.#send = send;
    this.#ctx = ctx;
    this.#hedgeBudget = hedgeBudget;
    this.#unavailable = unavailable;
    this.#deadline = performance.now() + ctx.options.timeout;
  }

  /** Resolves with the first response to any of the call's messages. */
  async response(): Promise<unknown> {
    let deadlineTimer: NodeJS.Timeout | undefined;
    if (this.#hedgeBudget) this.#hedgeBudget.calls++;
    try {
      return await new Promise((resolve, reject) => {
        let hasResponse = false;
        const expire = () => reject(timeoutErrorOf(this.#ctx));
        deadlineTimer = setTimeout(expire, this.#ctx.options.timeout + DEADLINE_GRACE_MS).unref();
        const attempt = async (ctx: RemoteContext) => {
          try {
            const response = await this.#sendUntilDelivered(ctx);
            if (hasResponse && isReadable(response)) response.destroy(); // nobody reads the stream
            hasResponse = true;
            resolve(response);
          } catch (error) {
            // One message of a hedged call may be lost while another is answered.
            if (!this.#hedgeBudget || !(error instanceof Errors.RequestTimeoutError)) reject(error);
          }
        };
        void attempt(this.#ctx);
        if (this.#hedgeBudget) this.#scheduleHedge(this.#hedgeBudget, attempt);
      });
    } finally {
      clearTimeout(deadlineTimer);
      this.#end();
    }
  }

  #scheduleHedge(budget: HedgeBudget, attempt: (ctx: RemoteContext) => Promise<void>): void {
    const hedge = async () => {
      if (budget.repeats >= budget.calls + HEDGE_BUDGET) {
        this.#hedgeTimer = setTimeout(hedge, BUDGET_RETRY_MS);
        return;
      }
      this.#hedgeDelay = Math.min(this.#hedgeDelay * 3, MAX_HEDGE_DELAY_MS);
      this.#hedgeTimer = setTimeout(hedge, this.#hedgeDelay);
      budget.repeats++;
      try {
        await attempt(this.#copyContext());
      } finally {
        budget.repeats--;
      }
    };
    this.#hedgeTimer = setTimeout(hedge, this.#hedgeDelay);
  }

  /** The same call with an id of its own and the time that is left. */
  #copyContext(): RemoteContext {
    const { options } = this.#ctx;
    const copy = this.#ctx.copy(this.#ctx.endpoint as never) as unknown as RemoteContext;
    copy.nodeID = options.nodeID ?? null; // else Moleculer would send the call to the endpoint's node
    copy.options = { ...options, timeout: Math.max(1, this.#deadline - performance.now()) };
    return copy;
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
    if (this.#hedgeBudget) this.#hedgeBudget.calls--;
    clearTimeout(this.#hedgeTimer);
    const { transit } = this.#ctx.broker;
    if (!transit) return;
    for (const id of this.#ids) removePendingCall(transit, id)?.reject(timeoutErrorOf(this.#ctx));
  }
}
