import { type CallingOptions, type Context, Errors } from 'moleculer';
import { A_PART, unavailable } from '../../middlewares/error-mapping.ts';
import { isUndelivered, NoRespondersError } from './no-responders.ts';
import { noAnswer, takePending } from './pending.ts';

/** Milliseconds until a read is asked for again; each time three times as long. */
const FIRST_PATIENCE_MS = 300;
const LONGEST_PATIENCE_MS = 3_000;
/**
 * A process has no more repeats under way than reads, and these: where everything is slow, more would
 * make it slower; where one of two processes stands still, fewer would not do.
 */
const HEDGE_BUDGET = 16;
const PLACE_AGAIN_MS = 100;
/** For so long a call that nobody takes is held before its caller hears 503. */
const HOLD_MS = 2_000;
const HOLD_STEP_MS = 100;
/** So much after its deadline, which Moleculer watches, a call is forgotten here. */
const LEEWAY_MS = 50;

/** A call whose deadline has been set, in milliseconds from now. */
export type RemoteContext = Context & { options: CallingOptions & { timeout: number } };
/** Sends a call to who has the action, and resolves with the answer. */
export type Send = (ctx: RemoteContext) => Promise<unknown>;

/** What this process has under way. */
export interface Reads {
  reads: number;
  repeats: number;
}

/** One call to other processes, from the first message to its end. */
export class RemoteRequest {
  readonly #send: Send;
  readonly #ctx: RemoteContext;
  readonly #until: number;
  readonly #underWay: Reads | undefined;
  readonly #ids: string[] = [];
  #patience = FIRST_PATIENCE_MS;
  #again: NodeJS.Timeout | undefined;
  #over = false;

  /** @param underWay for what may be carried out more than once; everything else is sent once */
  constructor(send: Send, ctx: RemoteContext, underWay?: Reads) {
    this.#send = send;
    this.#ctx = ctx;
    this.#underWay = underWay;
    this.#until = performance.now() + ctx.options.timeout;
  }

  /** The first answer, whichever message it answers: who is slow need not be asked in vain. */
  async answer(): Promise<unknown> {
    let late: NodeJS.Timeout | undefined;
    if (this.#underWay) this.#underWay.reads++;
    try {
      return await new Promise((resolve, reject) => {
        const giveUp = () => reject(noAnswer(this.#ctx));
        late = setTimeout(giveUp, this.#ctx.options.timeout + LEEWAY_MS).unref();
        const ask = async (ctx: RemoteContext) => {
          try {
            resolve(await this.#untilTaken(ctx));
          } catch (error) {
            // One message is lost; another may be answered.
            if (!this.#underWay || !(error instanceof Errors.RequestTimeoutError)) reject(error);
          }
        };
        void ask(this.#ctx);
        if (this.#underWay) this.#repeatLater(this.#underWay, ask);
      });
    } finally {
      clearTimeout(late);
      this.#end();
    }
  }

  #repeatLater(underWay: Reads, ask: (ctx: RemoteContext) => Promise<void>): void {
    const repeat = async () => {
      if (underWay.repeats >= underWay.reads + HEDGE_BUDGET) {
        this.#again = setTimeout(repeat, PLACE_AGAIN_MS);
        return;
      }
      this.#patience = Math.min(this.#patience * 3, LONGEST_PATIENCE_MS);
      this.#again = setTimeout(repeat, this.#patience);
      underWay.repeats++;
      await ask(this.#copy());
      underWay.repeats--;
    };
    this.#again = setTimeout(repeat, this.#patience);
  }

  /** The same call under an id of its own, with the time that is left. */
  #copy(): RemoteContext {
    const { options } = this.#ctx;
    const copy = this.#ctx.copy(this.#ctx.endpoint as never) as unknown as RemoteContext;
    copy.nodeID = options.nodeID ?? null; // else it would go to the node of the endpoint
    copy.options = { ...options, timeout: Math.max(1, this.#until - performance.now()) };
    return copy;
  }

  /** What nobody took was not carried out, so that even a write can be sent again. */
  async #untilTaken(ctx: RemoteContext): Promise<unknown> {
    this.#ids.push(ctx.id);
    let end = 0;
    for (;;) {
      try {
        // Moleculer would write a line for each call that it cannot send.
        if (!ctx.broker.transit?.tx.connected) throw new NoRespondersError();
        return await this.#send(ctx);
      } catch (error) {
        if (!isUndelivered(error)) throw error;
        end ||= Math.min(performance.now() + HOLD_MS, this.#until - HOLD_STEP_MS);
        if (this.#over || performance.now() > end) throw unavailable(A_PART);
        await new Promise((resolve) => setTimeout(resolve, HOLD_STEP_MS));
        if (this.#over) throw error;
      }
    }
  }

  #end(): void {
    this.#over = true;
    if (this.#underWay) this.#underWay.reads--;
    clearTimeout(this.#again);
    const { transit } = this.#ctx.broker;
    for (const id of this.#ids) if (transit) takePending(transit, id)?.reject(noAnswer(this.#ctx));
  }
}
