import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { StreamClosedError } from './errors.ts';
import { IncomingStream } from './incoming-stream.ts';
import { OutgoingStream } from './outgoing-stream.ts';
import type { PeerMonitor } from './peer-monitor.ts';
import { decodeFrame, encodeFrame, type StreamFrame } from './stream-frame.ts';

/** Milliseconds until the receiver of a response has opened its stream. Beyond them the source is destroyed. */
const OPEN_TIMEOUT_MS = 10_000;

/** Names a stream in the headers of a request or of a response. */
export interface StreamOffer {
  id: string;
  node: string;
  objectMode: boolean;
}

/** The header that has the offer. */
export const STREAM_HEADER = '$remoteStream';

export const isReadable = (value: unknown): value is Readable => value instanceof Readable;

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
  readonly #outgoing = new Map<string, { stream: OutgoingStream; receiver: string }>();
  readonly #incoming = new Map<string, IncomingStream>();

  constructor(connection: StreamConnection) {
    this.#connection = connection;
  }

  /** Offers a source to whichever node opens it. */
  offer(source: Readable): StreamOffer {
    const id = randomUUID();
    const send = (frame: StreamFrame) => {
      const receiver = this.#outgoing.get(id)?.receiver;
      if (receiver) this.#connection.send(receiver, encodeFrame(frame));
    };
    const stream = new OutgoingStream(source, {
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
        this.#connection.monitor.forget(id);
      },
    });
    this.#outgoing.set(id, { stream, receiver: '' });
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

  open({ id, node, objectMode }: StreamOffer): IncomingStream {
    const send = (frame: StreamFrame) => this.#connection.send(node, encodeFrame(frame));
    const stream = new IncomingStream(
      {
        credit: (bytes) => send({ type: 'credit', id, node: this.#connection.nodeID, bytes }),
        cancel: () => send({ type: 'cancel', id }),
        onClose: () => {
          this.#incoming.delete(id);
          this.#connection.monitor.forget(id);
        },
      },
      objectMode,
    );
    this.#incoming.set(id, stream);
    this.#monitor(id, node, (error) => stream.destroy(error));
    return stream;
  }

  /** Tells the node that offered the stream that no one reads it. */
  refuse({ id, node }: StreamOffer): void {
    if (!this.#incoming.has(id)) this.#connection.send(node, encodeFrame({ type: 'cancel', id }));
  }

  /** Whether this node is one end of the stream. */
  has(id: string): boolean {
    return this.#incoming.has(id) || this.#outgoing.has(id);
  }

  onFrame(bytes: Uint8Array): void {
    const frame = decodeFrame(bytes);
    const incoming = this.#incoming.get(frame.id);
    if (frame.type === 'credit') this.#addCredit(frame.id, frame.node, frame.bytes);
    else if (frame.type === 'cancel') this.#cancel(frame.id);
    else if (frame.type === 'data') incoming?.receive(frame.sequence, frame.payload);
    else if (frame.type === 'end') this.#end(frame.id, frame.sequence);
    else incoming?.receiveError(this.#connection.errorFromPlain(frame.error));
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

  #cancel(id: string): void {
    this.#outgoing.get(id)?.stream.destroy(new StreamClosedError('its reader has cancelled it'));
  }

  #monitor(id: string, node: string, destroy: (error: Error) => void): void {
    this.#connection.monitor.monitor(id, {
      candidates: () => [node],
      onLost: () => destroy(new StreamClosedError(`its other end at ${node} is gone`)),
    });
  }
}
