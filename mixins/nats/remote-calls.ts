import { setTimeout as sleep } from 'node:timers/promises';
import { type CallingOptions, type Context, type Middleware, ServiceBroker } from 'moleculer';
import { A_PART, unavailable } from '../failures.ts';
import { NobodyThere } from './nobody-there.ts';

/** Milliseconds that a read is waited for before it is asked for again; each time twice as long. */
const FIRST_PATIENCE_MS = 300;
const LONGEST_PATIENCE_MS = 3_000;
/** For so long a call that nobody takes is held before its caller hears 503. */
const HOLD_MS = 2_000;
const HOLD_STEP_MS = 100;
/** What a start waits for NATS before the services start without it. */
const CONNECT_GRACE_MS = 3_000;

interface Options extends CallingOptions {
  /** The most that may be waited for one answer: the caller's deadline, or the action's own. */
  most?: number;
  /** Since when nobody has taken the call. */
  nobodySince?: number;
}
type Ctx = Context & { options: Options; _retryAttempts?: number };
type Next = (ctx: Ctx) => Promise<unknown>;
type BrokerCall = (name: string, params: unknown, opts?: CallingOptions) => Promise<unknown>;
interface RemoteAction {
  timeout?: number;
  retryPolicy?: { enabled: boolean };
  waits?: string;
}

/**
 * How calls go between processes: to this one where it has the service, else by name, so that NATS
 * chooses who answers and knows at once who is gone. For a broker with a transporter.
 */
export function RemoteCalls(): Middleware {
  let broker: ServiceBroker;
  return {
    name: 'RemoteCalls',
    created(made: ServiceBroker) {
      broker = made;
      startWithoutNats(broker);
    },
    call(next: BrokerCall): BrokerCall {
      const here = ServiceBroker.prototype.call as unknown as BrokerCall;
      return (name, params, opts) => {
        const own = !opts?.nodeID && broker.registry.getActionEndpoints(name)?.hasLocal();
        return own
          ? here.call(broker, name, params, { ...opts, nodeID: broker.nodeID })
          : next(name, params, opts);
      };
    },
    remoteAction(next: Next, action: RemoteAction): Next {
      return (ctx) => {
        beAsPatientAsNeeded(ctx, action);
        const since = performance.now();
        const answer = untilTaken(next, ctx);
        const forget = () => ctx.broker.transit?.removePendingRequest(ctx.id);
        // Moleculer remembers a call whose answer never comes for ever.
        const late = setTimeout(forget, (ctx.options.timeout ?? 0) + HOLD_MS).unref();
        return answer
          .catch((error: unknown) => {
            if (!(error instanceof NobodyThere)) throw error;
            ctx.options.nobodySince ??= since;
            if (performance.now() - ctx.options.nobodySince < HOLD_MS) throw error;
            throw unavailable(A_PART);
          })
          .finally(() => clearTimeout(late));
      };
    },
  } as unknown as Middleware;
}

/** A read is given up soon and asked for again: who has it may be gone. Nothing else is. */
function beAsPatientAsNeeded(ctx: Ctx, { timeout, retryPolicy, waits }: RemoteAction): void {
  const { options } = ctx;
  options.most ??= options.timeout ?? 0;
  if (waits) {
    const wish = Number((ctx.params as Record<string, unknown>)[waits] ?? 0) || 0;
    const usual = (ctx.broker.options.requestTimeout ?? 0) + wish;
    options.timeout = Math.min(options.most || usual, usual);
  }
  if (retryPolicy?.enabled) {
    const patience = (timeout ?? FIRST_PATIENCE_MS) * 2 ** (ctx._retryAttempts ?? 0);
    const longest = Math.max(timeout ?? 0, LONGEST_PATIENCE_MS);
    options.timeout = Math.min(patience, longest, options.most || longest);
  }
  if (!ctx.broker.transit?.tx.connected) options.timeout = (options.timeout ?? 0) + HOLD_MS;
}

/** What nobody took was not carried out, so that even a write can be made again. */
async function untilTaken(next: Next, ctx: Ctx): Promise<unknown> {
  const end =
    performance.now() + Math.min(HOLD_MS, (ctx.options.timeout ?? HOLD_MS) - HOLD_STEP_MS);
  for (;;) {
    try {
      return await next(ctx);
    } catch (error) {
      if (!(error instanceof NobodyThere) || performance.now() > end) throw error;
      ctx.options.nobodySince ??= performance.now();
      await sleep(HOLD_STEP_MS);
    }
  }
}

/** Moleculer starts no service before it is connected; the gateway has to say that it is not. */
function startWithoutNats(broker: ServiceBroker): void {
  const { transit } = broker;
  if (!transit) return;
  const connect = transit.connect.bind(transit);
  transit.connect = async () => {
    let late = false;
    const connected = connect().then(() => {
      if (late) return listenAndTell(broker);
    });
    await Promise.race([connected, sleep(CONNECT_GRACE_MS, undefined, { ref: false })]);
    late = !transit.connected;
  };
}

/** Takes calls for what this process has started, and tells the others of it. */
export const listenAndTell = async (broker: ServiceBroker): Promise<void> => {
  if (broker.transit) await broker.registry.discoverer.sendLocalNodeInfo();
};
