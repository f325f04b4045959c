import type { ServiceBroker } from 'moleculer';
import type { PeerMonitor } from './peer-monitor.ts';
import {
  lostErrorOf,
  type PendingCall,
  pendingCallsOf,
  removePendingCall,
} from './pending-calls.ts';

/** Keeps a `PeerMonitor` informed of the calls of this process that have been pending for a whole sweep. */
export class PendingCallMonitor {
  readonly #broker: ServiceBroker;
  readonly #monitor: PeerMonitor;
  #seen = new Map<string, PendingCall>();

  constructor(broker: ServiceBroker, monitor: PeerMonitor) {
    this.#broker = broker;
    this.#monitor = monitor;
  }

  /** Call this before each sweep. A call that is sent again under the same id is another pending call. */
  update(): void {
    const { transit } = this.#broker;
    if (!transit) return;
    const pending = pendingCallsOf(transit);
    for (const [id, call] of this.#seen) if (pending.get(id) !== call) this.#monitor.forget(id);
    for (const [id, call] of pending) {
      if (this.#seen.get(id) === call && !this.#monitor.has(id)) this.#watch(id, call);
    }
    this.#seen = new Map(pending);
  }

  #watch(id: string, { ctx, nodeID }: PendingCall): void {
    this.#monitor.monitor(id, {
      candidates: () => (nodeID ? [nodeID] : nodesWith(this.#broker, ctx.action?.name ?? '')),
      onLost: () => {
        if (this.#broker.transit)
          removePendingCall(this.#broker.transit, id)?.reject(lostErrorOf(ctx));
      },
    });
  }
}

/**
 * The other nodes that may have the call: those that announce the action, and those that announce no service.
 * A node that stops withdraws its services first and still carries out the calls that it has.
 */
function nodesWith({ registry, nodeID }: ServiceBroker, action: string): string[] {
  const announcing = registry.getActionEndpoints(action)?.endpoints ?? [];
  const stopping = registry.nodes
    .list({ onlyAvailable: true, withServices: true })
    .filter(({ services }) => !services?.length);
  return [...announcing, ...stopping].map(({ id }) => id).filter((id) => id !== nodeID);
}
