import { Transporters } from 'moleculer';
import type { ConnectionOptions, Msg, NatsConnection } from 'nats';
import {
  connectionEnd,
  connectWithRetries,
  delayAfterConnection,
  listen,
  waitForFlush,
} from './connection.ts';
import { ConnectionLog } from './connection-log.ts';
import { defaultErrors, type NatsErrors, NoRespondersError } from './errors.ts';
import { IncomingCalls } from './incoming-calls.ts';
import { MessageSender } from './message-sender.ts';
import { isTooLarge, MAX_MESSAGE_BYTES } from './message-size.ts';
import { PeerProbes } from './peer-probes.ts';
import { removePendingCall } from './pending-calls.ts';
import { Queues } from './queues.ts';
import { RemoteStreams, type StreamConnection } from './remote-streams.ts';
import { ResponseOutbox } from './response-outbox.ts';
import { carryResponseStreams } from './response-streams.ts';
import type { Message } from './send-buffer.ts';
import { defaultStreamLimits, type StreamLimits } from './stream-limits.ts';
import { noRespondersSubject, streamSubject } from './subjects.ts';

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
  readonly #responses = new ResponseOutbox({
    isUp: () => this.connected && !this.client?.isClosed(),
    publish: (subject, data, id) => this.#sender.publish(subject, data, id),
    onRefused: ({ message }) => this.logger.error(`An answer could not be sent: ${message}`),
  });
  readonly #sender = new MessageSender({
    client: () => this.client,
    noRespondersSubject: () => this.#noResponders,
    onUnsent: (message, error) => this.#rejectUnsent(message, error),
  });
  readonly #incomingCalls = new IncomingCalls();
  #probes: PeerProbes | undefined;
  #streams: RemoteStreams | undefined;
  #queues: Queues | undefined;
  #upSince: number | undefined;
  readonly #connection: ConnectionOptions;
  readonly #errors: NatsErrors;
  readonly #streamLimits: StreamLimits;
  #log: ConnectionLog | undefined;
  #noResponders = '';
  #isStopping = false;

  constructor(
    connection: ConnectionOptions,
    errors: NatsErrors = defaultErrors,
    streamLimits: StreamLimits = defaultStreamLimits,
  ) {
    super();
    this.#connection = connection;
    this.#errors = errors;
    this.#streamLimits = streamLimits;
  }

  override init(...args: Parameters<Transporters.NATS['init']>): void {
    super.init(...args);
    this.#incomingCalls.track(args[0]);
    this.#queues = new Queues({
      broker: this.broker,
      prefix: this.prefix,
      user: this.#connection.user,
      receive: (command, data) => this.receive(command, data),
    });
    this.#probes = new PeerProbes({
      broker: this.broker,
      prefix: this.prefix,
      upSince: () => this.#upSince,
      publish: (subject, data, id) => this.#sender.publish(subject, data, id),
      holds: (item) => this.#incomingCalls.has(item) || this.#streams?.has(item) === true,
    });
    const streams: StreamConnection = {
      nodeID: this.nodeID,
      monitor: this.#probes.monitor,
      send: (node, frame) => this.#sender.publish(streamSubject(this.prefix, node), frame),
      errorToPlain: (error) => this.transit._createPayloadErrorField(error, {}),
      errorFromPlain: (plain) => this.transit._createErrFromPayload(plain, {}),
    };
    this.#streams = new RemoteStreams(streams, this.#streamLimits);
    carryResponseStreams(args[0], this.#streams);
  }

  /** The streams between this node and others. */
  get streams(): RemoteStreams {
    if (!this.#streams) throw new TypeError('The transporter has no broker yet.');
    return this.#streams;
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
    const log = this.#log;
    log.connected();
    this.client = client;
    this.#queues?.clear();
    this.#noResponders = noRespondersSubject(this.prefix, this.nodeID);
    client.subscribe(`${this.#noResponders}.*`, {
      callback: (_, msg) => this.#onNoResponders(msg),
    });
    this.#probes?.subscribe((subject, handle) => listen(client, log, subject, handle));
    listen(client, log, streamSubject(this.prefix, this.nodeID), ({ data }) =>
      this.#streams?.onFrame(data),
    );
    void connectionEnd(client, log).then((reason) => this.#reopen(reason));
    return true;
  }

  /** Replaces a client whose connection has ended by another one. */
  async #reopen(reason: string): Promise<void> {
    const upSince = this.#upSince;
    this.connected = false;
    this.#upSince = undefined;
    this.#probes?.monitor.reset();
    this.#streams?.destroyAll(reason);
    if (this.#isStopping) return;
    this.#log?.trouble(reason);
    await delayAfterConnection(upSince);
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
        const isLate = command === 'EVENT' && this.broker.stopping; // its services handle no event any more
        if (!error && !isLate) void this.receive(command, Buffer.from(msg.data));
      },
    });
  }

  /** Makes this process a member of its services' queues. Does not wait for long while NATS is away. */
  override async makeBalancedSubscriptions(): Promise<void> {
    const { client } = this;
    if (!client || client.isClosed()) return;
    const updated = Promise.all([
      this.#queues?.update(client),
      ...(this.connected ? [client.flush()] : []), // after that nats-server has the subscriptions
    ]);
    await waitForFlush(client, updated, this.logger);
  }

  async setAcceptingCalls(isAccepting: boolean): Promise<void> {
    this.#queues?.setAcceptingCalls(isAccepting);
    await this.makeBalancedSubscriptions();
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
    this.#sender.publish(subject, data, packet?.type === 'REQ' ? packet.payload.id : undefined);
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
    this.#sender.flush();
    const { client } = this;
    if (!client || client.isClosed()) return;
    if (this.connected) {
      await waitForFlush(client, client.flush(), this.logger);
    }
    await client.close();
    this.client = null;
  }
}
