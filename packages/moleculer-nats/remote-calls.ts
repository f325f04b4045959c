import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CallingOptions,
  type Context,
  Errors,
  type Middleware,
  ServiceBroker,
} from 'moleculer';
import {
  DependencyUnavailableError,
  defaultErrors,
  isUndelivered,
  type NatsErrors,
} from './errors.ts';
import {
  type HedgeBudget,
  type Hedging,
  type RemoteContext,
  RemoteRequest,
  type Send,
  waitOf,
} from './remote-request.ts';
import type { RemoteStreams } from './remote-streams.ts';
import { handleWithStream, offersStream, sendWithStream } from './request-streams.ts';
import type { NatsTransporter } from './transporter.ts';

/** Milliseconds that a start waits for NATS. Beyond them the services start without a connection. */
const CONNECT_TIMEOUT_MS = 3_000;

/** Milliseconds without an answer until an idempotent call is sent a second time. */
const READ_HEDGE_DELAY_MS = 300;
/** The same for a write that is idempotent by a field of its meta. A repeat of it costs more, and slow ones are common. */
const WRITE_HEDGE_DELAY_MS = 2_000;

type BrokerCall = (name: string, params: unknown, opts?: CallingOptions) => Promise<unknown>;

/** What an action's definition says about calls from other processes. */
interface RemoteAction {
  /** Whether the call may be carried out more than once. */
  idempotent?: boolean;
  /** The field of the meta with which a call may be carried out more than once, such as the key of a request. */
  idempotentWith?: string;
  /** The parameter with the milliseconds that the caller asks the action to wait. */
  waitParam?: string;
}

/**
 * Middleware that sends a call to this process where this process has the action, else by the action's
 * name, so that nats-server picks a live process. Needs a broker with a `NatsTransporter`.
 */
export function RemoteCalls(errors: Pick<NatsErrors, 'unavailable'> = defaultErrors): Middleware {
  let broker: ServiceBroker;
  const hedgeBudget: HedgeBudget = { calls: 0, repeats: 0 };
  return {
    name: 'RemoteCalls',
    created(created: ServiceBroker) {
      broker = created;
      startWithoutNats(broker);
    },
    call(next: BrokerCall): BrokerCall {
      const callLocal = ServiceBroker.prototype.call as unknown as BrokerCall;
      return (name, params, opts) => {
        const endpoints = broker.registry.getActionEndpoints(name);
        if (!opts?.nodeID && endpoints?.hasLocal()) {
          return callLocal.call(broker, name, params, { ...opts, nodeID: broker.nodeID });
        }
        if (endpoints?.count()) return next(name, params, { ...opts });
        // The same error as Moleculer's own, without a log line for each call.
        return Promise.reject(new Errors.ServiceNotFoundError({ action: name }));
      };
    },
    remoteAction(send: Send, action: RemoteAction): Send {
      return (ctx) => {
        ctx.options.timeout = timeoutOf(ctx, action.waitParam);
        const hasStream = ctx.options.stream !== undefined; // is read once: such a call is not hedged
        const request = new RemoteRequest(send, ctx, {
          hedging: hasStream ? undefined : hedgingOf(ctx, action, hedgeBudget),
          unavailable: errors.unavailable,
        });
        if (!hasStream) return request.response();
        return sendWithStream(ctx, streamsOf(broker), () => request.response());
      };
    },
    localAction(handle: (ctx: Context) => Promise<unknown>) {
      return (ctx: Context) =>
        ctx.nodeID === ctx.broker.nodeID ? handle(ctx) : handleRemoteCall(ctx, handle);
    },
  } as unknown as Middleware;
}

/** When the call is sent again; undefined for a call that may not be carried out more than once. */
function hedgingOf(
  { meta, params }: RemoteContext,
  { idempotent, idempotentWith, waitParam }: RemoteAction,
  budget: HedgeBudget,
): Hedging | undefined {
  const isKeyed =
    idempotentWith !== undefined && (meta as Record<string, unknown>)[idempotentWith] !== undefined;
  if (!idempotent && !isKeyed) return undefined;
  const delayMs = idempotent ? READ_HEDGE_DELAY_MS : WRITE_HEDGE_DELAY_MS;
  return { budget, delayMs: delayMs + waitOf(params, waitParam), waitParam };
}

/** Carries out a call from another node, with its stream where the call offers one. */
async function handleRemoteCall(
  ctx: Context,
  handle: (ctx: Context) => Promise<unknown>,
): Promise<unknown> {
  try {
    if (!offersStream(ctx)) return await handle(ctx);
    return await handleWithStream(ctx, streamsOf(ctx.broker), () => handle(ctx));
  } catch (error) {
    // The caller takes an undelivered call for one that was not carried out, and would send the call again.
    throw isUndelivered(error) ? new DependencyUnavailableError() : error;
  }
}

function streamsOf({ transit }: ServiceBroker): RemoteStreams {
  const transporter = transit?.tx as NatsTransporter | undefined;
  if (!transporter) throw new TypeError('RemoteCalls needs a NatsTransporter.');
  return transporter.streams;
}

/**
 * Milliseconds that the call may take, by its caller or its action. A call that may ask to wait and does
 * not gets the usual timeout.
 */
function timeoutOf({ broker, options, params }: RemoteContext, waitParam?: string): number {
  const usual = broker.options.requestTimeout ?? 0;
  const longest = options.timeout > 0 ? options.timeout : usual;
  if (!waitParam) return longest;
  return Math.min(longest, usual + waitOf(params, waitParam));
}

/** Moleculer starts no service before the transporter is connected; a gateway has to report that NATS is down. */
function startWithoutNats(broker: ServiceBroker): void {
  const { transit } = broker;
  if (!transit) return;
  const connect = transit.connect.bind(transit);
  transit.connect = async () => {
    let isLate = false;
    const connected = connect().then(() => {
      if (isLate) return announceServices(broker);
    });
    await Promise.race([connected, sleep(CONNECT_TIMEOUT_MS, undefined, { ref: false })]);
    isLate = !transit.connected;
  };
}

/** Takes calls for the services that this process has started, and tells the other nodes of them. */
export const announceServices = async (broker: ServiceBroker): Promise<void> => {
  if (broker.transit) await broker.registry.discoverer.sendLocalNodeInfo();
};
