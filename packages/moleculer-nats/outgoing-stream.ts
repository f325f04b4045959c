import { finished, type Readable } from 'node:stream';
import { StreamClosedError } from './errors.ts';
import { IdleTimer } from './idle-timer.ts';
import { MAX_PART_BYTES, WINDOW_BYTES, windowBytesOf } from './stream-limits.ts';

/** Bytes of one message of a byte stream. A larger chunk is sent as several messages. */
const PART_BYTES = 64 * 1024;
/**
 * The sender's idle timeout as a multiple of the receiver's. The receiver ends a stream first, because the
 * receiver reports late that its reader reads; the sender ends the stream of a receiver that is frozen.
 */
const SENDER_IDLE_FACTOR = 1.5;

/** What an outgoing stream sends to its receiver. */
export interface StreamSender {
  data(sequence: number, payload: Uint8Array): void;
  end(sequence: number): void;
  error(error: Error): void;
  /** The stream is over: no frame follows. */
  onClose(): void;
}

/**
 * Sends a source to a receiver on another node, no faster than the receiver gives credit. Without credit
 * the source is not read, so that its writer is paused.
 */
export class OutgoingStream {
  readonly #source: Readable;
  readonly #sender: StreamSender;
  #credit = 0;
  #sequence = 0;
  #isOpen = false;
  #isClosed = false;
  #onCredit: (() => void) | undefined;
  readonly #idleTimeoutMs: number;
  #idleTimer: IdleTimer | undefined;

  /** @param idleTimeoutMs the receiver's idle timeout in milliseconds */
  constructor(source: Readable, sender: StreamSender, idleTimeoutMs: number) {
    this.#source = source;
    this.#sender = sender;
    this.#idleTimeoutMs = idleTimeoutMs * SENDER_IDLE_FACTOR;
    // The pump does not notice an error while it waits for credit, nor before the stream is open.
    finished(source, (error) => {
      if (error && this.#isOpen) this.fail(error);
    });
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** The credit never passes one window, whatever the receiver claims. */
  addCredit(bytes: number): void {
    this.#credit = Math.min(this.#credit + bytes, WINDOW_BYTES);
    this.#idleTimer?.recordActivity();
    this.#onCredit?.();
    if (this.#isOpen || this.#isClosed) return;
    this.#isOpen = true;
    this.#idleTimer = new IdleTimer(this.#idleTimeoutMs, () =>
      this.fail(new StreamClosedError(`it stood still for ${this.#idleTimeoutMs} ms`)),
    );
    void this.#pump();
  }

  /** Ends the stream without another frame. The source is destroyed with the error. */
  destroy(error?: Error): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#idleTimer?.stop();
    this.#source.destroy(error);
    this.#onCredit?.();
    this.#sender.onClose();
  }

  /** Ends the stream with an error at both ends. */
  fail(error: Error): void {
    if (this.#isClosed) return;
    this.#sender.error(error);
    this.destroy(error);
  }

  async #pump(): Promise<void> {
    try {
      for await (const chunk of this.#source) {
        for (const part of this.#partsOf(chunk)) {
          while (this.#credit <= 0 && !this.#isClosed) await this.#nextCredit();
          if (this.#isClosed) return;
          this.#credit -= windowBytesOf(part);
          this.#idleTimer?.recordActivity();
          this.#sender.data(this.#sequence++, part);
        }
      }
      if (this.#isClosed) return;
      this.#sender.end(this.#sequence);
      this.destroy();
    } catch (error) {
      this.fail(error as Error);
    }
  }

  #nextCredit(): Promise<void> {
    return new Promise((resolve) => {
      this.#onCredit = resolve;
    });
  }

  #partsOf(chunk: unknown): Uint8Array[] {
    const bytes = this.#source.readableObjectMode
      ? Buffer.from(JSON.stringify(chunk))
      : Buffer.from(chunk as Uint8Array | string);
    if (!this.#source.readableObjectMode) return partsOf(bytes);
    if (bytes.length > MAX_PART_BYTES) {
      throw new RangeError(`An object of ${bytes.length} bytes is too large for a stream.`);
    }
    return [bytes];
  }
}

function partsOf(bytes: Uint8Array): Uint8Array[] {
  const count = Math.ceil(bytes.length / PART_BYTES);
  return Array.from({ length: count }, (_, n) =>
    bytes.subarray(n * PART_BYTES, (n + 1) * PART_BYTES),
  );
}
