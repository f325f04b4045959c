import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { OutboundError } from './errors.ts';

export interface ReadBody {
  bytes: Uint8Array;
  /** Whether the body was longer than `maxBytes` and was cut, which `truncate` asks for. */
  truncated: boolean;
  /** Whether `bytes` were decoded from a `Content-Encoding`. */
  decoded: boolean;
}

export interface BodyLimits {
  /** Bytes of the decoded body. The encoded body may be a little longer. Beyond it the body is cut or `TOO_LARGE`. */
  maxBytes: number;
  /** Whether a longer body is cut instead of an error. */
  truncate: boolean;
}

/** Reads a body, chunk by chunk as they come. */
export interface BodyReader {
  write(chunk: Buffer): void;
  end(): void;
  /** Frees what a body takes that is not read to its end. */
  destroy(): void;
}

/** The one who reads a body. `onRead` or `onError` is called once. */
export interface BodyOwner {
  onRead(body: ReadBody): void;
  onError(error: unknown): void;
  /** Stops the chunks until `resume`: the decoder has enough of them. */
  pause(): void;
  resume(): void;
}

/** Makes the reader of a body, which decodes its `Content-Encoding` and reads to the end or the limit. */
export const createBodyReader = (
  encoding: string | undefined,
  limits: BodyLimits,
  owner: BodyOwner,
): BodyReader =>
  isPlain(encoding)
    ? new BodyCollector(limits, owner, false)
    : new BodyDecoder(encoding, limits, owner);

const isPlain = (encoding = ''): boolean => /^\s*(?:identity\s*)?$/i.test(encoding);

const tooLargeError = (maxBytes: number): OutboundError =>
  new OutboundError('TOO_LARGE', `The body has more than ${maxBytes} bytes.`);

/** Collects the bytes of a body. */
class BodyCollector implements BodyReader {
  readonly #limits: BodyLimits;
  readonly #owner: BodyOwner;
  readonly #decoded: boolean;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(limits: BodyLimits, owner: BodyOwner, decoded: boolean) {
    this.#limits = limits;
    this.#owner = owner;
    this.#decoded = decoded;
  }

  write(chunk: Buffer): void {
    const { maxBytes, truncate } = this.#limits;
    if (this.#bytes > maxBytes) return;
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes <= maxBytes) return;
    if (truncate) this.#giveBytes(maxBytes, true);
    else this.#owner.onError(tooLargeError(maxBytes));
  }

  end(): void {
    this.#giveBytes(this.#bytes, false);
  }

  destroy(): void {}

  #giveBytes(length: number, truncated: boolean): void {
    const bytes = Buffer.concat(this.#chunks, length);
    this.#owner.onRead({ bytes, truncated, decoded: this.#decoded });
  }
}

/** Decodes a body with a decoder of zlib and collects the result. */
class BodyDecoder implements BodyReader {
  readonly #encoding: string | undefined;
  readonly #limits: BodyLimits;
  readonly #owner: BodyOwner;
  #decoder: Transform | null = null;
  /** Bytes of the encoded body so far. */
  #bytes = 0;

  constructor(encoding: string | undefined, limits: BodyLimits, owner: BodyOwner) {
    this.#encoding = encoding;
    this.#limits = limits;
    this.#owner = owner;
  }

  write(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > mostEncodedBytes(this.#limits)) {
      this.#owner.onError(tooLargeError(this.#limits.maxBytes));
      return;
    }
    this.#decoder ??= this.#start(chunk);
    if (this.#decoder?.write(chunk) === false) this.#owner.pause();
  }

  end(): void {
    if (this.#decoder) this.#decoder.end();
    else this.#owner.onRead({ bytes: new Uint8Array(), truncated: false, decoded: false });
  }

  destroy(): void {
    this.#decoder?.destroy();
  }

  /** Starts the decoder. An unknown encoding is an error of the owner. */
  #start(first: Buffer): Transform | null {
    const decoder = decoderOf(this.#encoding, first);
    if (!decoder) {
      this.#owner.onError(
        new OutboundError('CONNECTION_FAILED', 'The body has an encoding that is not supported.'),
      );
      return null;
    }
    const collector = new BodyCollector(this.#limits, this.#owner, true);
    decoder.on('data', (chunk: Buffer) => collector.write(chunk));
    decoder.on('end', () => collector.end());
    decoder.on('error', (error) => this.#owner.onError(error));
    decoder.on('drain', () => this.#owner.resume());
    return decoder;
  }
}

/** Bytes of an encoded body: an eighth and 64 KiB more than `maxBytes`, so that empty blocks are not read forever. */
const mostEncodedBytes = ({ maxBytes }: BodyLimits): number => maxBytes * 1.125 + 64 * 1024;

/** The decoder of an encoding; null for an unknown encoding. */
function decoderOf(encoding: string | undefined, first: Buffer): Transform | null {
  switch (encoding?.trim().toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'br':
      return createBrotliDecompress();
    case 'deflate': // with the zlib header that RFC 9110 requires, or without the header, as some servers send
      return ((first[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw();
    default:
      return null;
  }
}
