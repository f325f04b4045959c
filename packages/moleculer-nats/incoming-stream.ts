import { Readable } from 'node:stream';
import { StreamClosedError } from './errors.ts';

/** Bytes that the sender may be ahead of the reader. Beyond them the sender waits for credit. */
const WINDOW_BYTES = 256 * 1024;

/** What an incoming stream sends to its source. */
export interface StreamReceiver {
  credit(bytes: number): void;
  cancel(): void;
  /** The stream is over: no frame follows. */
  onClose(): void;
}

/** A stream from another node. Its buffer holds no more than the credit that it has given. */
export class IncomingStream extends Readable {
  readonly #receiver: StreamReceiver;
  readonly #isObjectMode: boolean;
  readonly #parts: Uint8Array[] = [];
  #wantsData = false;
  #hasEnded = false;
  #sequence = 0;
  /** Bytes that the reader has taken since the last credit. */
  #taken = 0;

  constructor(receiver: StreamReceiver, isObjectMode: boolean) {
    super({ objectMode: isObjectMode });
    this.#receiver = receiver;
    this.#isObjectMode = isObjectMode;
    this.on('error', () => undefined); // an error must not end a process that does not read the stream
    receiver.credit(WINDOW_BYTES);
  }

  /** Whether every part has arrived, though the reader may not have taken them. */
  get isComplete(): boolean {
    return this.#hasEnded;
  }

  receive(sequence: number, payload: Uint8Array): void {
    if (!this.#isNext(sequence)) return;
    this.#sequence++;
    this.#parts.push(payload);
    this.#flush();
  }

  /** The source has ended; the reader gets the rest of the buffer first. */
  receiveEnd(sequence: number): void {
    if (!this.#isNext(sequence)) return;
    this.#hasEnded = true;
    this.#flush();
  }

  receiveError(error: Error): void {
    this.#hasEnded = true;
    this.destroy(error);
  }

  override _read(): void {
    this.#wantsData = true;
    this.#flush();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#parts.length = 0;
    if (!this.#hasEnded) this.#receiver.cancel();
    this.#receiver.onClose();
    callback(error);
  }

  #isNext(sequence: number): boolean {
    if (sequence !== this.#sequence) this.destroy(new StreamClosedError('a part is missing'));
    return !this.destroyed;
  }

  #flush(): void {
    while (this.#wantsData) {
      const part = this.#parts.shift();
      if (!part) break;
      this.#taken += part.length;
      this.#wantsData = this.push(this.#isObjectMode ? objectOf(part) : part);
    }
    if (this.#hasEnded && this.#parts.length === 0) this.push(null);
    else if (this.#taken >= WINDOW_BYTES / 2) this.#giveCredit();
  }

  #giveCredit(): void {
    this.#receiver.credit(this.#taken);
    this.#taken = 0;
  }
}

/** The object that the part is the JSON text of. A buffer among objects is a buffer again. */
function objectOf(part: Uint8Array): unknown {
  const value = JSON.parse(part.toString()) as { type?: unknown; data?: number[] } | null;
  return value?.type === 'Buffer' && value.data ? Buffer.from(value.data) : value;
}
