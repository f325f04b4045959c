import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { create as contentDisposition } from 'content-disposition';
import type { ServiceBroker } from 'moleculer';
import { etagOfFile, matchesWeakly } from '../../../contract/etag.ts';
import type { ByteRange, FileAnswer } from '../../../contract/file-answer.ts';
import { closeAfterUnreadBody } from '../connections/unread-body.ts';
import type { ReadRequest } from '../gateway-request.ts';
import { byteRangeOf } from '../headers/byte-range.ts';
import type { Reply } from '../reply.ts';
import { exactLength } from '../streams/exact-length.ts';
import { callAction } from './call.ts';

/** The policy of a file that somebody has uploaded: a browser that shows it all the same runs and loads nothing. */
const FILE_POLICY = "default-src 'none'; sandbox";

/**
 * Answers a request with the bytes of a file, or with one part of them. The first call describes the file, the second
 * answers its bytes. Throws the refusal of both, and 416. Resolves with null when the response has ended. A file whose
 * bytes fail midway cuts the connection.
 */
export async function sendFile(broker: ServiceBroker, request: ReadRequest): Promise<Reply | null> {
  const { http, response } = request;
  const file = (await callAction(broker, request)) as FileAnswer;
  const etag = etagOfFile(file);
  const cached = { ETag: etag, 'Cache-Control': 'no-store' };
  const known = http.headers['if-none-match'];
  if (known !== undefined && matchesWeakly(known, etag)) {
    return { status: 304, headers: cached, body: null };
  }
  const isHead = http.method === 'HEAD';
  const part = isHead ? null : byteRangeOf(http.headers, response, { size: file.size, etag });
  const headers = { ...cached, ...headersOf(file), ...partHeaders(file, part) };
  const source = isHead || file.size === 0 ? null : await bytesOf(broker, request, file, part);
  closeAfterUnreadBody(response);
  response.writeHead(part ? 206 : 200, headers);
  if (!source) response.end();
  else {
    response.setMaxListeners(0); // a pipeline adds several of its own
    const bytes = exactLength(headers['Content-Length']);
    await pipeline(source, bytes, response).catch(() => {
      source.destroy(); // a pipeline leaves its source open where the client has gone before
      response.destroy();
    });
  }
  return null;
}

const headersOf = ({ name, type }: FileAnswer) => ({
  'Content-Type': type,
  'Content-Disposition': contentDisposition(name),
  'Content-Security-Policy': FILE_POLICY,
  'Accept-Ranges': 'bytes',
});

const partHeaders = ({ size }: FileAnswer, part: ByteRange | null) =>
  part
    ? {
        'Content-Length': part.end - part.start + 1,
        'Content-Range': `bytes ${part.start}-${part.end}/${size}`,
      }
    : { 'Content-Length': size };

/** Calls for the bytes. Resolves once the first of them have come: a failure until then is the answer of the request. */
async function bytesOf(
  broker: ServiceBroker,
  request: ReadRequest,
  { size }: FileAnswer,
  part: ByteRange | null,
): Promise<Readable> {
  const byteRange = part ?? { start: 0, end: size - 1 };
  const source = (await callAction(broker, request, { meta: { byteRange } })) as Readable;
  await once(source, 'readable');
  return source;
}
