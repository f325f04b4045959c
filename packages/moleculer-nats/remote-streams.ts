import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { StreamClosedError, TooManyStreamsError } from './errors.ts';
import { FingerprintedIds } from './fingerprints.ts';
import { IncomingStream, type StreamReceiver } from './incoming-stream.ts';
import { OutgoingStream, type StreamSender } from './outgoing-stream.ts';
import type { PeerMonitor } from './peer-monitor.ts';
import { decodeFrame, encodeFrame, type StreamFrame } from './stream-frame.ts';
import type { StreamLimits } from './stream-limits.ts';
import { isOffer, type StreamOffer } from './stream-offer.ts';

/** Milliseconds until the receiver of a response has opened its stream. Beyond them the source is destroyed. */
const OPEN_TIMEOUT_MS = 10_000;

export interface StreamConnection {
  nodeID: string;
  monitor: PeerMonitor;
  send(node: string, frame: Uint8Array): void;
  errorToPlain(error: Error): Record<string, unknown>;
  errorFromPlain(plain: Record<string, unknown>): Error;
}

/**
 * The streams between this node and others. The receiver opens a stream at the node that offered it, so
 * that data flows between these two nodes only, whichever of several nodes took the call.
 */
export class RemoteStreams {
  readonly #connection: StreamConnection;
  readonly #limits: StreamLimits;
  readonly #outgoing = new Map<string, { stream: OutgoingStream; receiver: string }>();
  readonly #incoming = new Map<string, IncomingStream>();
  readonly #ids = new FingerprintedIds();

  constructor(connection: StreamConnection, limits: StreamLimits) {
    this.#connection = connection;
    this.#limits = limits;
  }

  /** Offers a source to whichever node opens the stream. A refused source is destroyed. Throws `TooManyStreamsError`. */
  offer(source: Readable): StreamOffer {
    try {
      this.#assertRoom();
    } catch (error) {
      source.destroy();
      throw error;
    }
    const id = randomUUID();
    const send = (frame: StreamFrame) => {
      const receiver = this.#outgoing.get(id)?.receiver;
      if (receiver) this.#connection.send(receiver, encodeFrame(frame));
    };
    const sender: StreamSender = {
      data: (sequence, payload) => send({ type: 'data', id, sequence, payload }),
      end: (sequence) => send({ type: 'end', id, sequence }),
      error: (error) => {
        const sendError = (cause: Error) =>
          send({ type: 'error', id, error: this.#connection.errorToPlain(cause) });
        try {
          sendError(error);
        } catch {
          sendError(new StreamClosedError('its source failed')); // the error is larger than a message may be
        }
      },
      onClose: () => {
        this.#outgoing.delete(id);
        this.#forget(id);
      },
    };
    const stream = new OutgoingStream(source, sender, this.#limits.idleTimeoutMs);
    this.#outgoing.set(id, { stream, receiver: '' });
    this.#ids.add(id);
    return { id, node: this.#connection.nodeID, objectMode: source.readableObjectMode };
  }

  /** Offers a source that is destroyed unless a node opens it soon. */
  offerForAWhile(source: Readable): StreamOffer {
    const offer = this.offer(source);
    setTimeout(() => this.withdraw(offer.id), OPEN_TIMEOUT_MS).unref();
    return offer;
  }

  /** Destroys an offered source that no node has opened. */
  withdraw(id: string): void {
    const outgoing = this.#outgoing.get(id);
    if (outgoing && !outgoing.stream.isOpen) outgoing.stream.destroy();
  }

  /** Ends an offered source with an error at both ends. */
  fail(id: string, error: Error): void {
    this.#outgoing.get(id)?.stream.fail(error);
  }

  /** Opens the stream that a message's header offers. Throws `TooManyStreamsError`. */
  open(offer: unknown): IncomingStream {
    if (!isOffer(offer) || this.#incoming.has(offer.id))
      throw new StreamClosedError('its offer is not valid');
    this.#assertRoom();
    const { id, node, objectMode } = offer;
    const send = (frame: StreamFrame) => this.#connection.send(node, encodeFrame(frame));
    const receiver: StreamReceiver = {
      credit: (bytes) => send({ type: 'credit', id, node: this.#connection.nodeID, bytes }),
      cancel: (reason) => send({ type: 'cancel', id, reason }),
      onClose: () => {
        this.#incoming.delete(id);
        this.#forget(id);
      },
    };
    const { idleTimeoutMs } = this.#limits;
    const stream = new IncomingStream(receiver, { objectMode, idleTimeoutMs });
    this.#incoming.set(id, stream);
    this.#ids.add(id);
    this.#monitor(id, node, (error) => stream.destroy(error));
    return stream;
  }

  /** Tells the node that offered a stream that this node does not read the stream. */
  refuse(offer: unknown): void {
    if (!isOffer(offer) || this.#incoming.has(offer.id)) return;
    const frame = encodeFrame({ type: 'cancel', id: offer.id, reason: 'its receiver refused it' });
    this.#connection.send(offer.node, frame);
  }

  /** The streams that this process has offered or opened and that have not ended. */
  get openCount(): number {
    return this.#incoming.size + this.#outgoing.size;
  }

  /** Whether this node is one end of the stream with the fingerprint. */
  has(fingerprint: string): boolean {
    return this.#ids.has(fingerprint);
  }

  onFrame(bytes: Uint8Array): void {
    const frame = decodeFrame(bytes);
    const incoming = this.#incoming.get(frame.id);
    if (frame.type === 'credit') this.#addCredit(frame.id, frame.node, frame.bytes);
    else if (frame.type === 'cancel') this.#cancel(frame.id, frame.reason);
    else if (frame.type === 'data') incoming?.receive(frame.sequence, frame.payload);
    else if (frame.type === 'end') this.#end(frame.id, frame.sequence);
    else if (incoming) incoming.receiveError(this.#errorFromPlain(frame.error));
  }

  /** Ends all streams: frames of a lost connection are lost. */
  destroyAll(reason: string): void {
    for (const stream of [...this.#incoming.values()]) {
      if (!stream.isComplete) stream.destroy(new StreamClosedError(reason));
    }
    for (const { stream } of [...this.#outgoing.values()]) {
      if (stream.isOpen) stream.destroy(new StreamClosedError(reason));
    }
  }

  #addCredit(id: string, node: string, bytes: number): void {
    const outgoing = this.#outgoing.get(id);
    if (!outgoing) return;
    if (!outgoing.receiver) {
      outgoing.receiver = node;
      this.#monitor(id, node, (error) => outgoing.stream.destroy(error));
    }
    if (outgoing.receiver === node) outgoing.stream.addCredit(bytes);
  }

  /** The source's node forgets the stream with this frame, while the reader may still be reading. */
  #end(id: string, sequence: number): void {
    this.#connection.monitor.forget(id);
    this.#incoming.get(id)?.receiveEnd(sequence);
  }

  #cancel(id: string, reason: string): void {
    this.#outgoing.get(id)?.stream.destroy(new StreamClosedError(reason));
  }

  #forget(id: string): void {
    this.#ids.delete(id);
    this.#connection.monitor.forget(id);
  }

  #errorFromPlain(plain: Record<string, unknown>): Error {
    try {
      return this.#connection.errorFromPlain(plain);
    } catch {
      return new StreamClosedError('its source failed'); // the other node describes no error
    }
  }

  #assertRoom(): void {
    const { maxOpen } = this.#limits;
    if (this.openCount >= maxOpen) throw new TooManyStreamsError(maxOpen);
  }

  #monitor(id: string, node: string, destroy: (error: Error) => void): void {
    this.#connection.monitor.monitor(id, {
      candidates: () => [node],
      onLost: () => destroy(new StreamClosedError(`its other end at ${node} is gone`)),
    });
  }
}
