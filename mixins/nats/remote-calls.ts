import { setTimeout as sleep } from 'node:timers/promises';
import { type CallingOptions, Errors, type Middleware, ServiceBroker } from 'moleculer';
import { type Reads, type RemoteContext, RemoteRequest, type Send } from './remote-request.ts';

/** What a start waits for NATS before the services start without it. */
const CONNECT_GRACE_MS = 3_000;

type BrokerCall = (name: string, params: unknown, opts?: CallingOptions) => Promise<unknown>;
interface RemoteAction {
  idempotent?: boolean;
  waitParam?: string;
}

/**
 * How calls go between processes: to this one where it has the service, else by name, so that NATS
 * chooses who answers and knows at once who is gone. For a broker with a transporter.
 */
export function RemoteCalls(): Middleware {
  let broker: ServiceBroker;
  const underWay: Reads = { reads: 0, repeats: 0 };
  return {
    name: 'RemoteCalls',
    created(made: ServiceBroker) {
      broker = made;
      startWithoutNats(broker);
    },
    call(next: BrokerCall): BrokerCall {
      const here = ServiceBroker.prototype.call as unknown as BrokerCall;
      return (name, params, opts) => {
        const known = broker.registry.getActionEndpoints(name);
        if (!opts?.nodeID && known?.hasLocal()) {
          return here.call(broker, name, params, { ...opts, nodeID: broker.nodeID });
        }
        if (known?.count()) return next(name, params, { ...opts });
        // As Moleculer does, but for the line that it writes each time.
        return Promise.reject(new Errors.ServiceNotFoundError({ action: name }));
      };
    },
    remoteAction(send: Send, { idempotent, waitParam }: RemoteAction): Send {
      return (ctx) => {
        ctx.options.timeout = timeOf(ctx, waitParam);
        return new RemoteRequest(send, ctx, idempotent ? underWay : undefined).answer();
      };
    },
  } as unknown as Middleware;
}

/**
 * Milliseconds that the call may take: what its caller says or has left, or the action. Who may ask to
 * wait and does not is told sooner. Parameters have not been looked at yet; they may be anything.
 */
function timeOf({ broker, options, params }: RemoteContext, waitParam?: string): number {
  const usual = broker.options.requestTimeout ?? 0;
  const most = options.timeout > 0 ? options.timeout : usual;
  if (!waitParam) return most;
  const wish = Number((params as Record<string, unknown> | null)?.[waitParam]);
  return Math.min(most, wish > 0 ? usual + wish : usual);
}

/** Moleculer starts no service before it is connected; the gateway has to say that it is not. */
function startWithoutNats(broker: ServiceBroker): void {
  const { transit } = broker;
  if (!transit) return;
  const connect = transit.connect.bind(transit);
  transit.connect = async () => {
    let late = false;
    const connected = connect().then(() => {
      if (late) return announceServices(broker);
    });
    await Promise.race([connected, sleep(CONNECT_GRACE_MS, undefined, { ref: false })]);
    late = !transit.connected;
  };
}

/** Takes calls for what this process has started, and tells the others of it. */
export const announceServices = async (broker: ServiceBroker): Promise<void> => {
  if (broker.transit) await broker.registry.discoverer.sendLocalNodeInfo();
};
