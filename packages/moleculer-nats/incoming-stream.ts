import { Readable } from 'node:stream';
import { StreamClosedError } from './errors.ts';
import { IdleTimer } from './idle-timer.ts';
import { MAX_PART_BYTES, WINDOW_BYTES, windowBytesOf } from './stream-limits.ts';

/** Reports to the sender within the idle timeout: each says that the reader has read since the last. */
const REPORTS_UNTIL_IDLE = 4;

/** What an incoming stream sends to its source. */
export interface StreamReceiver {
  credit(bytes: number): void;
  cancel(reason: string): void;
  /** The stream is over: no frame follows. */
  onClose(): void;
}

export interface IncomingStreamOptions {
  objectMode: boolean;
  /** Milliseconds without a part received or a chunk read after which the stream ends with an error. */
  idleTimeoutMs: number;
}

/**
 * A stream from another node. Its buffer holds no more than the credit that it has given and one part: a
 * sender that sends beyond its credit ends the stream with an error.
 */
export class IncomingStream extends Readable {
  readonly #receiver: StreamReceiver;
  readonly #isObjectMode: boolean;
  readonly #parts: Uint8Array[] = [];
  #wantsData = false;
  #hasEnded = false;
  #sequence = 0;
  /** Bytes that the sender may still send. */
  #window = 0;
  /** Bytes that the reader has taken since the last credit. */
  #taken = 0;
  readonly #idleTimer: IdleTimer;
  readonly #reportTimer: NodeJS.Timeout;
  #hasRead = false;

  constructor(receiver: StreamReceiver, { objectMode, idleTimeoutMs }: IncomingStreamOptions) {
    super({ objectMode });
    this.#receiver = receiver;
    this.#isObjectMode = objectMode;
    this.#idleTimer = new IdleTimer(idleTimeoutMs, () =>
      this.destroy(new StreamClosedError(`it stood still for ${idleTimeoutMs} ms`)),
    );
    const reportMs = idleTimeoutMs / REPORTS_UNTIL_IDLE;
    this.#reportTimer = setInterval(() => this.#reportReading(), reportMs).unref();
    this.on('error', () => undefined); // an error must not end a process that does not read the stream
    this.#giveCredit(WINDOW_BYTES);
  }

  /** Whether every part has arrived, though the reader may not have taken them. */
  get isComplete(): boolean {
    return this.#hasEnded;
  }

  receive(sequence: number, part: Uint8Array): void {
    if (!this.#isNext(sequence)) return;
    if (this.#window <= 0 || part.length > MAX_PART_BYTES) {
      this.destroy(new StreamClosedError('its sender has sent more than its window'));
      return;
    }
    this.#sequence++;
    this.#idleTimer.recordActivity();
    this.#window -= windowBytesOf(part);
    this.#parts.push(part);
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

  override read(size?: number): ReturnType<Readable['read']> {
    const chunk: unknown = super.read(size);
    if (chunk !== null) this.#recordRead();
    return chunk;
  }

  override _read(): void {
    this.#wantsData = true;
    this.#flush();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#idleTimer.stop();
    clearInterval(this.#reportTimer);
    this.#parts.length = 0;
    if (!this.#hasEnded) {
      const isOurs = error instanceof StreamClosedError;
      this.#receiver.cancel(isOurs ? error.reason : 'its reader has cancelled it');
    }
    this.#receiver.onClose();
    callback(error);
  }

  #isNext(sequence: number): boolean {
    if (this.#hasEnded) return false;
    if (sequence !== this.#sequence) this.destroy(new StreamClosedError('a part is missing'));
    return !this.destroyed;
  }

  #flush(): void {
    while (this.#wantsData) {
      const part = this.#parts.shift();
      if (!part) break;
      this.#taken += windowBytesOf(part);
      this.#recordRead();
      const chunk = this.#isObjectMode ? objectOf(part) : part;
      if (chunk === undefined)
        return void this.destroy(new StreamClosedError('a part is no object'));
      this.#wantsData = this.push(chunk);
    }
    if (this.#hasEnded && this.#parts.length === 0) this.push(null);
    else if (this.#taken >= WINDOW_BYTES / 2) this.#giveCredit(this.#taken);
  }

  #recordRead(): void {
    this.#idleTimer.recordActivity();
    this.#hasRead = true;
  }

  /** A reader that takes less than a credit's worth is reported all the same: the sender must not take it for stalled. */
  #reportReading(): void {
    if (this.#hasRead && !this.#hasEnded) this.#giveCredit(this.#taken);
  }

  #giveCredit(bytes: number): void {
    this.#taken = 0;
    this.#hasRead = false;
    this.#window += bytes;
    this.#receiver.credit(bytes);
  }
}

/** The object that the part is the JSON text of, undefined when the part is none. A buffer among objects is a buffer again. */
function objectOf(part: Uint8Array): unknown {
  try {
    const value = JSON.parse(part.toString()) as { type?: unknown; data?: number[] } | null;
    // `null` would end the stream.
    return value?.type === 'Buffer' && value.data ? Buffer.from(value.data) : (value ?? undefined);
  } catch {
    return undefined; // the caller ends the stream
  }
}
