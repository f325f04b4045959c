import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Transporters } from 'moleculer';
import {
  type ConnectionOptions,
  ErrorCode,
  type Msg,
  type NatsConnection,
  NatsError,
  type Subscription,
} from 'nats';
import { connectionEnd, connectPatiently } from './connecting.ts';
import { ConnectionLog } from './connection-log.ts';
import { NoRespondersError } from './no-responders.ts';
import { answerTooLarge, callTooLarge, isTooLarge, type Outgoing } from './packets.ts';
import { noAnswer, pendingOf, takePending } from './pending.ts';
import { ResponseOutbox } from './response-outbox.ts';
import { type Message, SendBuffer } from './send-buffer.ts';
import { nobodyTopic, upTopic, upTopicOfHost } from './topics.ts';

/** For so long after NATS is back the answers to what was asked before are waited for: nobody has the rest. */
const LOST_AFTER_MS = 2_500;
/** What draining and saying goodbye may take, NATS being away perhaps. */
const GOODBYE_MS = 1_000;

/**
 * Moleculer's transporter for NATS, for a NATS that comes late, goes away and comes back. What it does
 * otherwise: calls are refused while there is no connection and when nobody listens, so that the caller
 * may try again at once; answers wait for the connection; queues are left without losing a message; no
 * message is larger than the server takes.
 */
export class NatsTransporter extends Transporters.NATS {
  declare client: NatsConnection | null;
  readonly #queues = new Map<string, Subscription>();
  readonly #answers = new ResponseOutbox({
    isUp: () => this.connected && !this.client?.isClosed(),
    publish: (topic, data, id) => this.#publish(topic, data, id),
    refused: ({ message }) => this.logger.error(`An answer could not be sent: ${message}`),
  });
  readonly #sendBuffer = new SendBuffer({
    publish: (message) => this.#publishNow(message),
    onUnsent: (message, error) => this.#refuseUnsent(message, error),
  });
  readonly #connection: ConnectionOptions;
  #log: ConnectionLog | undefined;
  #inbox = '';
  #isLeaving = false;
  #takesCalls = true;

  constructor(connection: ConnectionOptions) {
    super();
    this.#connection = connection;
  }

  override async connect(): Promise<void> {
    this.#isLeaving = false;
    if (await this.#open()) await this.#greet();
  }

  /** Whether there is a connection now; else nobody wants it any more. */
  async #open(): Promise<boolean> {
    this.#log ??= new ConnectionLog(this.logger, [this.#connection.servers].flat().join(', '));
    const client = await connectPatiently(this.#connection, this.#log, () => !this.#isLeaving);
    if (!client) return false;
    this.#log.well();
    this.client = client;
    this.#queues.clear();
    this.#inbox = nobodyTopic(this.prefix, this.nodeID);
    client.subscribe(`${this.#inbox}.*`, { callback: (_, msg) => this.#nobodyTook(msg) });
    void connectionEnd(client, this.#log).then((why) => this.#reopen(why));
    return true;
  }

  /** Another client takes the place of one whose connection has ended. */
  async #reopen(why: string): Promise<void> {
    this.connected = false;
    if (this.#isLeaving) return;
    this.#log?.trouble(why);
    if (!(await this.#open())) return;
    const { client } = this;
    await this.transit.makeSubscriptions().catch(({ message }: Error) => this.logger.warn(message));
    if (client === this.client && !client?.isClosed()) this.#resume(); // else the next one does
  }

  /** The connection is there again; what the client was given meanwhile it has thrown away. */
  #resume(): void {
    void this.#greet(true);
    this.#answers.resume();
    this.#giveUpLost();
  }

  /** Should the connection be gone already, the next one is greeted. */
  #greet(again = false): Promise<void> {
    return this.onConnected(again).catch((error: Error) => this.logger.warn(error.message));
  }

  /**
   * A call that was inside nats-server when it died never comes to an end. Answers have waited for
   * the connection, so what is still unanswered soon after its return is lost, or what became of it is
   * unknown. Calls that may take longer than usual keep their own deadline.
   */
  #giveUpLost(): void {
    const usual = this.broker.options.requestTimeout ?? 0;
    const asked = [...pendingOf(this.transit)].filter(
      ([, { ctx }]) => (ctx.options.timeout ?? 0) <= usual,
    );
    const giveUp = () => {
      for (const [id, { ctx }] of asked) takePending(this.transit, id)?.reject(noAnswer(ctx));
    };
    setTimeout(giveUp, LOST_AFTER_MS).unref();
  }

  /** nats-server says at once that no process has asked for such messages. */
  #nobodyTook(msg: Msg): void {
    if (msg.headers?.code !== 503) return;
    const id = msg.subject.slice(this.#inbox.length + 1);
    if (!this.#answers.onNoResponders(id))
      takePending(this.transit, id)?.reject(new NoRespondersError());
  }

  /** As Moleculer does, but for a permission that is missing, which would end the reading of this connection. */
  override async subscribe(command: string, nodeID?: string): Promise<void> {
    this.client?.subscribe(this.getTopicName(command, nodeID), {
      callback: (error, msg) => {
        if (!error) void this.receive(command, Buffer.from(msg.data));
      },
    });
  }

  /** Listens to what the services of this process are for, and to nothing else; nothing is lost in between. */
  override async makeBalancedSubscriptions(): Promise<void> {
    if (!this.client || this.client.isClosed()) return;
    const wanted = this.#wantedQueues();
    const left = [...this.#queues].filter(([topic]) => !wanted.has(topic));
    for (const [topic, { queue, command }] of wanted) {
      if (this.#queues.has(topic)) continue;
      const callback = (error: unknown, msg: Msg) => {
        if (error) return; // a permission that is missing: the connection's log tells
        if (command === 'UP') msg.respond();
        else void this.receive(command, Buffer.from(msg.data));
      };
      this.#queues.set(topic, this.client.subscribe(topic, { queue, callback }));
    }
    for (const [topic] of left) this.#queues.delete(topic);
    const drained = Promise.all([
      ...left.map(([, queue]) => queue.drain()),
      ...(this.connected ? [this.client.flush()] : []), // from here on the server knows of them
    ]);
    await Promise.race([drained.catch(() => undefined), sleep(GOODBYE_MS, undefined, UNREF)]);
  }

  /** Who cannot do the work does not ask for it: NATS gives it to others, or says that nobody is there. */
  async setAcceptingCalls(takes: boolean): Promise<void> {
    this.#takesCalls = takes;
    await this.makeBalancedSubscriptions();
  }

  #wantedQueues(): Map<string, { queue: string; command: string }> {
    const wanted = new Map<string, { queue: string; command: string }>();
    if (!this.#takesCalls) return wanted;
    // Those that each process has for itself, Moleculer's own and that of roles, nobody else calls.
    const services = this.broker
      .getLocalNodeInfo()
      .services.filter(({ name }) => !name.startsWith('$'));
    if (services.length) {
      const topic = upTopicOfHost(this.prefix, this.#connection.user, hostname());
      wanted.set(topic, { queue: 'node', command: 'UP' });
    }
    for (const { name, actions, events } of services) {
      wanted.set(upTopic(this.prefix, name), { queue: name, command: 'UP' });
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
    if (!this.connected && packet.type === 'REQ') return Promise.reject(new NoRespondersError());
    // Whoever misses an event finds out by itself; an action that told of its work has done it.
    if (!this.connected && packet.type === 'EVENT') return Promise.resolve();
    if (!this.connected && packet.type === 'RES') return this.publish(packet);
    return super.prepublish(packet);
  }

  override async send(topic: string, data: Buffer, meta?: { packet?: Outgoing }): Promise<void> {
    const packet = meta?.packet;
    if (packet && isTooLarge(data)) return this.#refuse(packet);
    if (packet?.type === 'RES') return this.#answers.send(topic, data);
    this.#publish(topic, data, packet?.type === 'REQ' ? packet.payload.id : undefined);
  }

  /** With an id, `#nobodyTook` hears of it when nobody listens. Throws when the message is larger than the server takes. */
  #publish(topic: string, data: Uint8Array, id?: string): void {
    if (data.length > (this.client?.info?.max_payload ?? Infinity)) {
      throw NatsError.errorForCode(ErrorCode.MaxPayloadExceeded);
    }
    this.#sendBuffer.add({ topic, data, id });
  }

  #publishNow({ topic, data, id }: Message): void {
    if (!this.client) throw NatsError.errorForCode(ErrorCode.ConnectionClosed);
    this.client.publish(topic, data, id === undefined ? {} : { reply: `${this.#inbox}.${id}` });
  }

  /** A call may be made again at once. `Answers` sends an answer again when the connection is back. */
  #refuseUnsent({ topic, id }: Message, { message }: Error): void {
    if (id !== undefined) takePending(this.transit, id)?.reject(new NoRespondersError());
    if (!this.client || this.client.isClosed()) return; // the connection's log tells
    this.logger.error(`A message to ${topic} could not be sent: ${message}`);
  }

  async #refuse(packet: Outgoing): Promise<void> {
    if (packet.type !== 'RES') throw callTooLarge();
    this.logger.error(`An answer was too large for NATS (call ${packet.payload.id ?? ''}).`);
    const { target, payload } = packet as Outgoing & { target: string; payload: { id: string } };
    await this.transit.sendResponse(target, payload.id, {}, {}, {}, answerTooLarge());
  }

  override async disconnect(): Promise<void> {
    this.#isLeaving = true;
    this.#sendBuffer.flush();
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
