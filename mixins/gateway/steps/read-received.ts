import type { IncomingHttpHeaders } from 'node:http';
import { Problem, UnsupportedMediaType } from '../../../contract/problem.ts';
import type { ReceivedRequest } from '../../../contract/received-request.ts';
import { mediaTypeOf, readBytesOf } from '../body/read-body.ts';
import type { IdentifiedRequest } from '../gateway-request.ts';

/**
 * Reads a request as it was received. Throws 413 or 415 for a body that cannot be read. A compressed body is 415: who
 * signs a body signs the bytes that are sent.
 */
export async function readReceived({
  http,
  response,
  route,
  query,
}: IdentifiedRequest): Promise<{ received: ReceivedRequest; body: Buffer | null }> {
  const encoding = http.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new Problem(UnsupportedMediaType, 'The body must not be compressed.');
  }
  const { api_key: _, ...kept } = query.values;
  const body = await readBytesOf(http, response, route.contract);
  const received = {
    headers: keptHeaders(http.headers),
    query: kept,
    mediaType: body ? mediaTypeOf(http).type : '',
    body: body?.toString('base64') ?? '',
  };
  return { received, body };
}

/** The headers that authenticate, that proxies add, or that are about the connection alone (RFC 9110, section 7.6.1). */
const LEFT_OUT =
  /^(?:authorization|cookie2?|set-cookie|x-api-key|forwarded|via|x-forwarded-.*|x-real-ip|x-client-ip|true-client-ip|cf-connecting-ip|proxy-.*|connection|keep-alive|te|trailer|transfer-encoding|upgrade)$/;
/** A name that may be a key of an object. */
const NAME = /^[a-z\d][a-z\d_-]*$/;

/** The headers that the service sees. Node bounds the bytes of all headers. */
const keptHeaders = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).filter(
      (header): header is [string, string] =>
        typeof header[1] === 'string' && NAME.test(header[0]) && !LEFT_OUT.test(header[0]),
    ),
  );
