import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Transit, Transporters } from 'moleculer';
import {
  type ConnectionOptions,
  ErrorCode,
  type Msg,
  type NatsConnection,
  NatsError,
  type Subscription,
} from 'nats';
import { connectionEnd, connectWithRetries } from './connection.ts';
import { ConnectionLog } from './connection-log.ts';
import { defaultErrors, type NatsErrors, NoRespondersError } from './errors.ts';
import { isTooLarge, MAX_MESSAGE_BYTES } from './message-size.ts';
import { PeerProbes } from './peer-probes.ts';
import { removePendingCall } from './pending-calls.ts';
import { RemoteStreams } from './remote-streams.ts';
import { ResponseOutbox } from './response-outbox.ts';
import { carryResponseStreams } from './response-streams.ts';
import { type Message, SendBuffer } from './send-buffer.ts';
import { noRespondersSubject, streamSubject, upSubject, upSubjectOfHost } from './subjects.ts';

/** Milliseconds for draining and flushing when NATS may be away. Beyond them the transporter goes on without. */
const FLUSH_TIMEOUT_MS = 1_000;
const UNREF = { ref: false };
/** A subject to send to. The client writes subjects into its protocol as they are, and other nodes name themselves. */
const SUBJECT = /^[^\s*>]+$/;

/** The parts of an outgoing packet that the transporter reads. */
interface OutgoingPacket {
  type: string;
  target?: string;
  payload: { id?: string };
}

/** Adds to the class of Moleculer what its type declarations leave out. */
type Packet = Parameters<Transporters.NATS['prepublish']>[0];

/**
 * Moleculer's transporter for a nats-server that starts late, goes away and comes back. Beside Moleculer's
 * own it rejects a call at once without connection or responder, holds responses for the next connection,
 * drains queues before it leaves them, and sends no message that nats-server would refuse.
 */
export class NatsTransporter extends Transporters.NATS {
  declare client: NatsConnection | null;
  readonly #queues = new Map<string, Subscription>();
  readonly #responses = new ResponseOutbox({
    isUp: () => this.connected && !this.client?.isClosed(),
    publish: (subject, data, id) => this.#publish(subject, data, id),
    onRefused: ({ message }) => this.logger.error(`An answer could not be sent: ${message}`),
  });
  readonly #sendBuffer = new SendBuffer({
    publish: (message) => this.#publishNow(message),
    onUnsent: (message, error) => this.#rejectUnsent(message, error),
  });
  /** The calls from other nodes that this process has in progress. */
  readonly #incomingCalls = new Set<string>();
  #probes: PeerProbes | undefined;
  #streams: RemoteStreams | undefined;
  #upSince: number | undefined;
  readonly #connection: ConnectionOptions;
  readonly #errors: NatsErrors;
  #log: ConnectionLog | undefined;
  #noResponders = '';
  #isStopping = false;
  #isAcceptingCalls = true;

  constructor(connection: ConnectionOptions, errors: NatsErrors = defaultErrors) {
    super();
    this.#connection = connection;
    this.#errors = errors;
  }

  override init(...args: Parameters<Transporters.NATS['init']>): void {
    super.init(...args);
    this.#trackIncomingCalls(args[0]);
    this.#probes = new PeerProbes({
      broker: this.broker,
      prefix: this.prefix,
      upSince: () => this.#upSince,
      publish: (subject, data, id) => this.#publish(subject, data, id),
      holds: (id) => this.#incomingCalls.has(id) || this.#streams?.has(id) === true,
    });
    this.#streams = new RemoteStreams({
      nodeID: this.nodeID,
      monitor: this.#probes.monitor,
      send: (node, frame) => this.#publish(streamSubject(this.prefix, node), frame),
      errorToPlain: (error) => this.transit._createPayloadErrorField(error, {}),
      errorFromPlain: (plain) => this.transit._createErrFromPayload(plain, {}),
    });
    carryResponseStreams(args[0], this.#streams);
  }

  /** The streams between this node and others. */
  get streams(): RemoteStreams {
    if (!this.#streams) throw new TypeError('The transporter has no broker yet.');
    return this.#streams;
  }

  #trackIncomingCalls(transit: Transit): void {
    const handle = transit.requestHandler.bind(transit);
    transit.requestHandler = (payload) => {
      const { id } = payload as { id: string };
      this.#incomingCalls.add(id);
      return handle(payload).finally(() => this.#incomingCalls.delete(id));
    };
  }

  override async connect(): Promise<void> {
    this.#isStopping = false;
    this.#probes?.monitor.start();
    if (await this.#open()) await this.#announceConnection();
  }

  /** Resolves with whether there is a connection; without one the transporter is stopping. */
  async #open(): Promise<boolean> {
    this.#log ??= new ConnectionLog(this.logger, [this.#connection.servers].flat().join(', '));
    const client = await connectWithRetries(this.#connection, this.#log, () => !this.#isStopping);
    if (!client) return false;
    this.#log.connected();
    this.client = client;
    this.#queues.clear();
    this.#noResponders = noRespondersSubject(this.prefix, this.nodeID);
    client.subscribe(`${this.#noResponders}.*`, {
      callback: (_, msg) => this.#onNoResponders(msg),
    });
    this.#probes?.subscribe((subject, handle) => this.#listen(client, subject, handle));
    this.#listen(client, streamSubject(this.prefix, this.nodeID), ({ data }) =>
      this.#streams?.onFrame(data),
    );
    void connectionEnd(client, this.#log).then((reason) => this.#reopen(reason));
    return true;
  }

  /** Hands messages to `handle`. An error that left a callback would end the client's reading of the connection. */
  #listen(client: NatsConnection, subject: string, handle: (msg: Msg) => void): void {
    client.subscribe(subject, {
      callback: (error, msg) => {
        if (error) return; // a missing permission: `ConnectionLog` has it
        try {
          handle(msg);
        } catch (fault) {
          this.logger.warn(`A message to ${subject} was not valid: ${(fault as Error).message}`);
        }
      },
    });
  }

  /** Replaces a client whose connection has ended by another one. */
  async #reopen(reason: string): Promise<void> {
    this.connected = false;
    this.#upSince = undefined;
    this.#probes?.monitor.reset();
    this.#streams?.destroyAll(reason);
    if (this.#isStopping) return;
    this.#log?.trouble(reason);
    if (!(await this.#open())) return;
    const { client } = this;
    await this.transit.makeSubscriptions().catch(({ message }: Error) => this.logger.warn(message));
    if (client === this.client && !client?.isClosed()) this.#resume(); // else the next client resumes
  }

  /** Sends what the lost connection has dropped. */
  #resume(): void {
    void this.#announceConnection(true);
    this.#responses.resume();
  }

  /** Tells Moleculer of the connection. Should this connection be lost already, the next one is announced. */
  #announceConnection(isReconnect = false): Promise<void> {
    const announced = this.onConnected(isReconnect); // sets `connected` at once
    this.#upSince = performance.now();
    return announced.catch((error: Error) => this.logger.warn(error.message));
  }

  /** nats-server reports at once that no process subscribes to the subject of a message. */
  #onNoResponders(msg: Msg): void {
    if (msg.headers?.code !== 503) return;
    const id = msg.subject.slice(this.#noResponders.length + 1);
    if (this.#probes?.monitor.onNoResponders(id)) return;
    if (!this.#responses.onNoResponders(id))
      removePendingCall(this.transit, id)?.reject(new NoRespondersError());
  }

  /** As Moleculer's own, but a missing permission does not end the reading of this connection. */
  override async subscribe(command: string, nodeID?: string): Promise<void> {
    this.client?.subscribe(this.getTopicName(command, nodeID), {
      callback: (error, msg) => {
        if (!error) void this.receive(command, Buffer.from(msg.data));
      },
    });
  }

  /** Subscribes to the queues of this process's services and drains all others, without losing a message. */
  override async makeBalancedSubscriptions(): Promise<void> {
    if (!this.client || this.client.isClosed()) return;
    const wanted = this.#wantedQueues();
    const unwanted = [...this.#queues].filter(([subject]) => !wanted.has(subject));
    for (const [subject, { queue, command }] of wanted) {
      if (this.#queues.has(subject)) continue;
      const callback = (error: unknown, msg: Msg) => {
        if (error) return; // a missing permission: `ConnectionLog` has it
        if (command === 'UP') msg.respond();
        else void this.receive(command, Buffer.from(msg.data));
      };
      this.#queues.set(subject, this.client.subscribe(subject, { queue, callback }));
    }
    for (const [subject] of unwanted) this.#queues.delete(subject);
    const drained = Promise.all([
      ...unwanted.map(([, queue]) => queue.drain()),
      ...(this.connected ? [this.client.flush()] : []), // after that nats-server has the subscriptions
    ]);
    await Promise.race([drained.catch(() => undefined), sleep(FLUSH_TIMEOUT_MS, undefined, UNREF)]);
  }

  /** A process that accepts no calls leaves its queues: NATS asks other processes or reports "no responders". */
  async setAcceptingCalls(isAccepting: boolean): Promise<void> {
    this.#isAcceptingCalls = isAccepting;
    await this.makeBalancedSubscriptions();
  }

  #wantedQueues(): Map<string, { queue: string; command: string }> {
    const wanted = new Map<string, { queue: string; command: string }>();
    if (!this.#isAcceptingCalls) return wanted;
    // Other processes never call the services that each process has for itself, such as `$node`.
    const services = this.broker
      .getLocalNodeInfo()
      .services.filter(({ name }) => !name.startsWith('$'));
    for (const { name, actions, events } of services) {
      for (const action of Object.keys(actions ?? {})) {
        wanted.set(`${this.prefix}.REQB.${action}`, { queue: action, command: 'REQ' });
      }
      for (const event of Object.keys(events ?? {})) {
        const subject = `${this.prefix}.EVENTB.${name}.${event}`;
        wanted.set(subject, { queue: name, command: 'EVENT' });
      }
      // After its actions: a service that is said to be up has their subscriptions.
      wanted.set(upSubject(this.prefix, name), { queue: name, command: 'UP' });
    }
    if (services.length) {
      const subject = upSubjectOfHost(this.prefix, this.#connection.user, hostname());
      wanted.set(subject, { queue: 'node', command: 'UP' });
    }
    return wanted;
  }

  override prepublish(packet: Packet): Promise<void> {
    if (!this.connected && packet.type === 'REQ') return Promise.reject(new NoRespondersError());
    // An event is dropped, not rejected: the action that emits it has done its work.
    if (!this.connected && packet.type === 'EVENT') return Promise.resolve();
    if (!this.connected && packet.type === 'RES') return this.publish(packet);
    return super.prepublish(packet);
  }

  override async send(
    subject: string,
    data: Buffer,
    meta?: { packet?: OutgoingPacket },
  ): Promise<void> {
    const packet = meta?.packet;
    if (packet && isTooLarge(data)) return this.#refuseTooLarge(packet);
    if (packet?.type === 'RES') return this.#responses.send(subject, data);
    this.#publish(subject, data, packet?.type === 'REQ' ? packet.payload.id : undefined);
  }

  /** With an id, nats-server reports a message without responder. Throws when this nats-server refuses the size. */
  #publish(subject: string, data: Uint8Array, id?: string): void {
    if (!SUBJECT.test(subject)) {
      this.#rejectUnsent({ subject, data, id }, NatsError.errorForCode(ErrorCode.BadSubject));
      return;
    }
    if (data.length > (this.client?.info?.max_payload ?? Infinity)) {
      throw NatsError.errorForCode(ErrorCode.MaxPayloadExceeded);
    }
    this.#sendBuffer.add({ subject, data, id });
  }

  #publishNow({ subject, data, id }: Message): void {
    if (!this.client) throw NatsError.errorForCode(ErrorCode.ConnectionClosed);
    const options = id === undefined ? {} : { reply: `${this.#noResponders}.${id}` };
    this.client.publish(subject, data, options);
  }

  /** The caller may send an unsent call again at once. `ResponseOutbox` sends an unsent response again. */
  #rejectUnsent({ subject, id }: Message, { message }: Error): void {
    if (id !== undefined) removePendingCall(this.transit, id)?.reject(new NoRespondersError());
    if (!this.client || this.client.isClosed()) return; // `ConnectionLog` has it
    this.logger.error(`A message to ${subject} could not be sent: ${message}`);
  }

  async #refuseTooLarge({ type, target, payload: { id } }: OutgoingPacket): Promise<void> {
    if (type !== 'RES') throw this.#errors.requestTooLarge(MAX_MESSAGE_BYTES);
    this.logger.error(`An answer was too large for NATS (call ${id ?? ''}).`);
    if (!target || !id) return;
    await this.transit.sendResponse(target, id, {}, {}, {}, this.#errors.responseTooLarge());
  }

  override async disconnect(): Promise<void> {
    this.#isStopping = true;
    this.#probes?.monitor.stop();
    this.#streams?.destroyAll('the process stops');
    this.#sendBuffer.flush();
    const { client } = this;
    if (!client || client.isClosed()) return;
    if (this.connected) {
      await Promise.race([client.flush(), sleep(FLUSH_TIMEOUT_MS, undefined, UNREF)]).catch(
        () => undefined,
      );
    }
    await client.close();
    this.client = null;
  }
}
