import { setTimeout as sleep } from 'node:timers/promises';
import { Transporters } from 'moleculer';
import type { ConnectionOptions, Msg, NatsConnection, Subscription } from 'nats';
import { NobodyThere } from './nobody-there.ts';
import { answerTooLarge, callTooLarge, isTooLarge, type Outgoing } from './packets.ts';

/** Answers that are kept for callers while NATS is away; each of them is waited for a few seconds at most. */
const MOST_HELD = 10_000;
const HELD_FOR_MS = 10_000;
/** What draining and saying goodbye may take, NATS being away perhaps. */
const GOODBYE_MS = 1_000;

const PATIENT: ConnectionOptions = {
  waitOnFirstConnect: true,
  maxReconnectAttempts: -1,
  reconnectTimeWait: 200,
  reconnectJitter: 100,
  timeout: 2_000,
  pingInterval: 5_000, // a connection that is only half there is noticed
  maxPingOut: 2,
};

interface Held {
  topic: string;
  data: Uint8Array;
  until: number;
}

/**
 * Moleculer's transporter for NATS, for a NATS that comes late, goes away and comes back. What it does
 * otherwise: calls are refused while there is no connection and when nobody listens, so that the caller
 * may try again at once; answers wait for the connection; queues are left without losing a message; no
 * message is larger than the server takes.
 */
export class NatsTransporter extends Transporters.NATS {
  declare client: NatsConnection | null;
  readonly #queues = new Map<string, Subscription>();
  #held: Held[] = [];
  #inbox = '';

  constructor(connection: ConnectionOptions) {
    super({ ...PATIENT, ...connection });
  }

  override onConnected(wasReconnect = false): Promise<void> {
    if (!wasReconnect && this.client) {
      this.#inbox = `${this.prefix}.NOBODY.${this.nodeID.replaceAll(/[\s.*>]/g, '-')}`;
      this.client.subscribe(`${this.#inbox}.*`, { callback: (_, msg) => this.#nobodyTook(msg) });
      void this.#watch(this.client);
    }
    return super.onConnected(wasReconnect);
  }

  /** The client would throw away at its return what it was given meanwhile. */
  async #watch(client: NatsConnection): Promise<void> {
    for await (const { type } of client.status()) {
      if (type === 'disconnect') this.connected = false;
      if (type !== 'reconnect') continue;
      this.onConnected(true).catch((error: Error) => this.logger.warn(error.message));
      for (const { topic, data, until } of this.#held.splice(0)) {
        if (until > performance.now()) client.publish(topic, data);
      }
    }
  }

  /** nats-server says at once that no process has asked for such messages. */
  #nobodyTook(msg: Msg): void {
    if (msg.headers?.code !== 503) return;
    const id = msg.subject.slice(this.#inbox.length + 1);
    const request = this.transit.pendingRequests.get(id);
    this.transit.removePendingRequest(id);
    request?.reject(new NobodyThere());
  }

  /** Listens to what the services of this process are for, and to nothing else; nothing is lost in between. */
  override async makeBalancedSubscriptions(): Promise<void> {
    if (!this.client || this.client.isClosed()) return;
    const wanted = this.#wantedQueues();
    const left = [...this.#queues].filter(([topic]) => !wanted.has(topic));
    for (const [topic, { queue, command }] of wanted) {
      if (this.#queues.has(topic)) continue;
      const callback = (_: unknown, msg: Msg) => void this.receive(command, Buffer.from(msg.data));
      this.#queues.set(topic, this.client.subscribe(topic, { queue, callback }));
    }
    for (const [topic] of left) this.#queues.delete(topic);
    const drained = Promise.all([
      ...left.map(([, queue]) => queue.drain()),
      ...(this.connected ? [this.client.flush()] : []), // from here on the server knows of them
    ]);
    await Promise.race([drained.catch(() => undefined), sleep(GOODBYE_MS, undefined, UNREF)]);
  }

  #wantedQueues(): Map<string, { queue: string; command: string }> {
    const wanted = new Map<string, { queue: string; command: string }>();
    for (const { name, actions, events } of this.broker.getLocalNodeInfo().services) {
      for (const action of Object.keys(actions ?? {})) {
        wanted.set(`${this.prefix}.REQB.${action}`, { queue: action, command: 'REQ' });
      }
      for (const event of Object.keys(events ?? {})) {
        const topic = `${this.prefix}.EVENTB.${name}.${event}`;
        wanted.set(topic, { queue: name, command: 'EVENT' });
      }
    }
    return wanted;
  }

  override prepublish(packet: Parameters<Transporters.NATS['prepublish']>[0]): Promise<void> {
    if (!this.connected && packet.type === 'REQ') return Promise.reject(new NobodyThere());
    // Whoever misses an event finds out by itself; an action that told of its work has done it.
    if (!this.connected && packet.type === 'EVENT') return Promise.resolve();
    if (!this.connected && packet.type === 'RES') return this.publish(packet);
    return super.prepublish(packet);
  }

  override async send(topic: string, data: Buffer, meta?: { packet?: Outgoing }): Promise<void> {
    const packet = meta?.packet;
    if (packet && isTooLarge(data)) return this.#refuse(packet);
    if (packet?.type === 'RES' && !this.connected) return this.#hold(topic, data);
    if (!this.client || this.client.isClosed()) return;
    const id = packet?.type === 'REQ' ? packet.payload.id : undefined;
    this.client.publish(topic, data, id === undefined ? {} : { reply: `${this.#inbox}.${id}` });
  }

  async #refuse(packet: Outgoing): Promise<void> {
    if (packet.type !== 'RES') throw callTooLarge();
    this.logger.error(`An answer was too large for NATS (call ${packet.payload.id ?? ''}).`);
    const { target, payload } = packet as Outgoing & { target: string; payload: { id: string } };
    await this.transit.sendResponse(target, payload.id, {}, {}, {}, answerTooLarge());
  }

  #hold(topic: string, data: Buffer): void {
    if (this.#held.length >= MOST_HELD) this.#held.shift();
    this.#held.push({ topic, data, until: performance.now() + HELD_FOR_MS });
  }

  override async disconnect(): Promise<void> {
    const { client } = this;
    if (!client || client.isClosed()) return;
    if (this.connected) {
      await Promise.race([client.flush(), sleep(GOODBYE_MS, undefined, UNREF)]).catch(
        () => undefined,
      );
    }
    await client.close();
    this.client = null;
  }
}

const UNREF = { ref: false };
