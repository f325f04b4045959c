import type { AnswerHead } from './answer.ts';

/** Bytes of a body that are discarded. A connection whose body is longer is closed. */
const MOST_BYTES = 16 * 1024;
/** Milliseconds for the end of a discarded body. A connection whose body takes longer is closed. */
const MOST_MS = 1_000;

/** A small body that nobody reads. Its bytes are let in and dropped, so that the connection can be used again. */
export class DiscardedBody {
  readonly #close: () => void;
  readonly #timer: NodeJS.Timeout;
  #bytes = 0;

  /** Returns null for a body whose `Content-Length` is too long to wait for. `close` closes the connection. */
  static begin({ 'content-length': length }: AnswerHead['headers'], close: () => void) {
    return Number(length ?? 0) <= MOST_BYTES ? new DiscardedBody(close) : null;
  }

  private constructor(close: () => void) {
    this.#close = close;
    this.#timer = setTimeout(close, MOST_MS).unref();
  }

  write(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes <= MOST_BYTES) return;
    this.end();
    this.#close();
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
