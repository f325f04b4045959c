import { type BodyLimits, type BodyReader, type BodyReceiver, tooLargeError } from './body.ts';

/**
 * Chunks that are kept apart. The next chunk joins them to one buffer, because a `Buffer` takes about 100 bytes of memory
 * beside its content: a body of 1 MiB in chunks of one byte would take more than 100 MiB.
 */
const MOST_CHUNKS = 1_024;

/** Collects the bytes of a body. */
export class BodyCollector implements BodyReader {
  readonly #limits: BodyLimits;
  readonly #receiver: BodyReceiver;
  readonly #decoded: boolean;
  /** The beginning of the body, in buffers of `MOST_CHUNKS` joined chunks. */
  readonly #joined: Buffer[] = [];
  /** The chunks after the beginning. */
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(limits: BodyLimits, receiver: BodyReceiver, decoded: boolean) {
    this.#limits = limits;
    this.#receiver = receiver;
    this.#decoded = decoded;
  }

  write(chunk: Buffer): void {
    const { maxBytes, truncate } = this.#limits;
    if (this.#bytes > maxBytes) return;
    if (this.#chunks.length === MOST_CHUNKS) this.#joinChunks();
    this.#chunks.push(isMostOfMemory(chunk) ? chunk : Buffer.from(chunk));
    this.#bytes += chunk.length;
    if (this.#bytes <= maxBytes) return;
    if (truncate) this.#giveBytes(maxBytes, true);
    else this.#receiver.onError(tooLargeError(maxBytes));
  }

  end(): void {
    this.#giveBytes(this.#bytes, false);
  }

  /** Gives what was collected, of a body that cannot be read to its end. */
  cut(): void {
    this.#giveBytes(this.#bytes, true);
  }

  destroy(): void {}

  #joinChunks(): void {
    this.#joined.push(Buffer.concat(this.#chunks));
    this.#chunks = [];
  }

  #giveBytes(length: number, truncated: boolean): void {
    const bytes = Buffer.concat([...this.#joined, ...this.#chunks], length);
    this.#receiver.onRead({ bytes, truncated, decoded: this.#decoded });
  }
}

/**
 * Whether a chunk is at least half of the memory that it keeps. A short chunk may be a part of 64 KiB that the connection
 * has read, such as one byte behind a long chunk extension.
 */
const isMostOfMemory = ({ length, buffer }: Buffer): boolean => 2 * length >= buffer.byteLength;
