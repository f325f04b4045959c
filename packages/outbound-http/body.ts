import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { OutboundError } from './errors.ts';

export interface ReadBody {
  bytes: Uint8Array;
  /** Whether there was more than `maxBytes`; only then when `truncate` was asked for. */
  truncated: boolean;
  /** Whether `bytes` are other than those on the wire. */
  decoded: boolean;
}

export interface BodyLimits {
  /** Of the body as sent and as unpacked. */
  maxBytes: number;
  /** What lies beyond is cut off rather than an error. */
  truncate: boolean;
}

/** Reads a body to its end or its limit, unpacked by its `Content-Encoding`. */
export async function readBody(
  body: Readable,
  encoding: string | undefined,
  limits: BodyLimits,
): Promise<ReadBody> {
  const [first, whole] = await peek(body);
  const decoder = first ? decoderOf(encoding, first) : null;
  if (!decoder) return { ...(await collect(whole, limits)), decoded: false };
  // `pipeline` closes both ends when one fails; the reader of `unpacked` is who hears of it.
  const unpacked = pipeline(bounded(whole, limits.maxBytes), decoder, () => undefined);
  return { ...(await collect(unpacked, limits)), decoded: true };
}

/** The first chunk, undefined when there is none, and the body with it. */
async function peek(body: Readable): Promise<[Buffer | undefined, AsyncGenerator<Buffer>]> {
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const first = await chunks.next();
  async function* whole(): AsyncGenerator<Buffer> {
    for (let next = first; !next.done; next = await chunks.next()) yield next.value;
  }
  return [first.done ? undefined : first.value, whole()];
}

/** Bytes that unpack to nothing count as well: packed data is hardly ever longer than what it holds. */
async function* bounded(packed: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  const limit = maxBytes * 1.125 + 64 * 1024;
  let bytes = 0;
  for await (const chunk of packed) {
    bytes += chunk.length;
    if (bytes > limit) throw tooLarge(maxBytes);
    yield chunk;
  }
}

const tooLarge = (maxBytes: number): OutboundError =>
  new OutboundError('TOO_LARGE', `The body has more than ${maxBytes} bytes.`);

function decoderOf(encoding: string | undefined, first: Buffer): Transform | null {
  switch (encoding?.trim().toLowerCase() ?? '') {
    case '':
    case 'identity':
      return null;
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'br':
      return createBrotliDecompress();
    case 'deflate': // with the zlib header that RFC 9110 asks for, or without, as some servers send it
      return ((first[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw();
    default:
      throw new OutboundError(
        'CONNECTION_FAILED',
        'The body has an encoding that is not supported.',
      );
  }
}

async function collect(
  source: AsyncIterable<Buffer>,
  { maxBytes, truncate }: BodyLimits,
): Promise<{ bytes: Uint8Array; truncated: boolean }> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of source) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes <= maxBytes) continue;
    if (!truncate) throw tooLarge(maxBytes);
    return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), truncated: true };
  }
  return { bytes: Buffer.concat(chunks), truncated: false };
}
