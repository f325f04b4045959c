import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { type BodyLimits, type BodyReader, type BodyReceiver, tooLargeError } from './body.ts';
import { BodyCollector } from './body-collector.ts';
import { OutboundError } from './errors.ts';

/**
 * Decodes a body with a decoder of zlib and collects the result. With `truncate`, a body is cut where it cannot be read:
 * behind the most encoded bytes, and where its encoding is broken or unknown.
 */
export class BodyDecoder implements BodyReader {
  readonly #encoding: string | undefined;
  readonly #limits: BodyLimits;
  readonly #receiver: BodyReceiver;
  #decoder: Transform | null = null;
  /** Bytes of the encoded body so far. */
  #bytes = 0;
  /** Whether the decoder gets no more of the body. */
  #isCut = false;

  constructor(encoding: string | undefined, limits: BodyLimits, receiver: BodyReceiver) {
    this.#encoding = encoding;
    this.#limits = limits;
    this.#receiver = receiver;
  }

  write(chunk: Buffer): void {
    if (this.#isCut) return;
    const readable = chunk.subarray(0, mostEncodedBytes(this.#limits) - this.#bytes);
    this.#bytes += chunk.length;
    const isTooLong = readable.length < chunk.length;
    if (isTooLong && !this.#limits.truncate) {
      this.#receiver.onError(tooLargeError(this.#limits.maxBytes));
      return;
    }
    this.#decoder ??= this.#start(readable);
    if (isTooLong) this.#cutAfter(readable);
    else if (this.#decoder?.write(chunk) === false) this.#receiver.pause();
  }

  end(): void {
    if (this.#isCut) return;
    if (this.#decoder) this.#decoder.end();
    else this.#receiver.onRead({ bytes: new Uint8Array(), truncated: false, decoded: false });
  }

  destroy(): void {
    this.#decoder?.destroy();
  }

  /** Ends the decoder, which gives what it has decoded until then. */
  #cutAfter(last: Buffer): void {
    this.#isCut = true;
    this.#decoder?.end(last);
  }

  /** Starts the decoder; null for an unknown encoding. */
  #start(first: Buffer): Transform | null {
    const decoder = decoderOf(this.#encoding, first);
    if (!decoder) {
      this.#refuseEncoding();
      return null;
    }
    const { truncate } = this.#limits;
    const collector = new BodyCollector(this.#limits, this.#receiver, true);
    decoder.on('data', (chunk: Buffer) => collector.write(chunk));
    decoder.on('end', () => (this.#isCut ? collector.cut() : collector.end()));
    decoder.on('error', (error) => (truncate ? collector.cut() : this.#receiver.onError(error)));
    decoder.on('drain', () => this.#receiver.resume());
    return decoder;
  }

  #refuseEncoding(): void {
    if (this.#limits.truncate) {
      this.#receiver.onRead({ bytes: new Uint8Array(), truncated: true, decoded: false });
      return;
    }
    const message = 'The body has an encoding that is not supported.';
    this.#receiver.onError(new OutboundError('CONNECTION_FAILED', message));
  }
}

/** Bytes of an encoded body: an eighth and 64 KiB more than `maxBytes`, so that empty blocks are not read forever. */
const mostEncodedBytes = ({ maxBytes }: BodyLimits): number =>
  Math.ceil(maxBytes * 1.125) + 64 * 1024;

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
