import { OutboundError } from './errors.ts';

export interface ReadBody {
  bytes: Uint8Array;
  /** Whether `bytes` are only the beginning of the body, which `truncate` allows. */
  truncated: boolean;
  /** Whether `bytes` were decoded from a `Content-Encoding`. */
  decoded: boolean;
}

export interface BodyLimits {
  /** Bytes of the decoded body. The encoded body may be a little longer. Beyond it the body is cut or `TOO_LARGE`. */
  maxBytes: number;
  /** Whether a body is cut where it is too long or its encoding is broken or unknown, instead of an error. */
  truncate: boolean;
}

/** Reads a body, chunk by chunk as they come. */
export interface BodyReader {
  write(chunk: Buffer): void;
  end(): void;
  /** Frees what a body takes that is not read to its end. */
  destroy(): void;
}

/** The receiver of a body that a reader has read. The reader calls `onRead` or `onError` once. */
export interface BodyReceiver {
  onRead(body: ReadBody): void;
  onError(error: unknown): void;
  /** Stops the chunks until `resume`: the decoder has enough of them. */
  pause(): void;
  resume(): void;
}

export const tooLargeError = (maxBytes: number): OutboundError =>
  new OutboundError('TOO_LARGE', `The body has more than ${maxBytes} bytes.`);
