import { pipeline, type Readable, type Transform } from 'node:stream';
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

/** Reads a body to its end or its limit and decodes its `Content-Encoding`. */
export async function readBody(
  body: Readable,
  encoding: string | undefined,
  limits: BodyLimits,
): Promise<ReadBody> {
  if (isPlain(encoding)) return { ...(await collect(body, limits)), decoded: false };
  const [first, whole] = await peek(body);
  if (!first) return { bytes: new Uint8Array(), truncated: false, decoded: false };
  const decoder = decoderOf(encoding, first);
  // `pipeline` closes both streams when one fails. `collect` gets the error when it reads `unpacked`.
  const unpacked = pipeline(limitBytes(whole, limits.maxBytes), decoder, () => undefined);
  return { ...(await collect(unpacked, limits)), decoded: true };
}

/** Returns the first chunk (undefined for an empty body) and the whole body, the first chunk included. */
async function peek(body: Readable): Promise<[Buffer | undefined, AsyncGenerator<Buffer>]> {
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const first = await chunks.next();
  async function* whole(): AsyncGenerator<Buffer> {
    for (let next = first; !next.done; next = await chunks.next()) yield next.value;
  }
  return [first.done ? undefined : first.value, whole()];
}

/** Limits the encoded body: it may be an eighth and 64 KiB longer than `maxBytes`, so that empty blocks are not read forever. */
async function* limitBytes(
  packed: AsyncIterable<Buffer>,
  maxBytes: number,
): AsyncGenerator<Buffer> {
  const limit = maxBytes * 1.125 + 64 * 1024;
  let bytes = 0;
  for await (const chunk of packed) {
    bytes += chunk.length;
    if (bytes > limit) throw tooLargeError(maxBytes);
    yield chunk;
  }
}

const tooLargeError = (maxBytes: number): OutboundError =>
  new OutboundError('TOO_LARGE', `The body has more than ${maxBytes} bytes.`);

const isPlain = (encoding = ''): boolean => /^\s*(?:identity\s*)?$/i.test(encoding);

function decoderOf(encoding: string | undefined, first: Buffer): Transform {
  switch (encoding?.trim().toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'br':
      return createBrotliDecompress();
    case 'deflate': // with the zlib header that RFC 9110 requires, or without the header, as some servers send
      return ((first[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw();
    default:
      throw new OutboundError(
        'CONNECTION_FAILED',
        'The body has an encoding that is not supported.',
      );
  }
}

/** Collects a stream by its events. An asynchronous iteration takes a third more CPU time of a short call. */
function collect(
  source: Readable,
  { maxBytes, truncate }: BodyLimits,
): Promise<{ bytes: Uint8Array; truncated: boolean }> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    source.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes <= maxBytes) return;
      source.pause();
      const kept = Buffer.concat(chunks).subarray(0, maxBytes);
      if (truncate) resolve({ bytes: kept, truncated: true });
      else reject(tooLargeError(maxBytes));
      source.destroy();
    });
    source.on('end', () => resolve({ bytes: Buffer.concat(chunks), truncated: false }));
    source.on('error', reject);
  });
}
