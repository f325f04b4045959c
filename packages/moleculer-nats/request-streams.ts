import type { Readable } from 'node:stream';
import type { Context } from 'moleculer';
import type { RemoteContext } from './remote-request.ts';
import type { RemoteStreams } from './remote-streams.ts';
import { isReadable, STREAM_HEADER } from './stream-offer.ts';

/**
 * Sends a call whose option `stream` is a source. The message of the call carries an offer, so that the node
 * that takes the call opens the stream; a source that no node has opened when the call ends is destroyed.
 */
export async function sendWithStream(
  ctx: RemoteContext,
  streams: RemoteStreams,
  send: () => Promise<unknown>,
): Promise<unknown> {
  const { stream, ...options } = ctx.options;
  if (!isReadable(stream)) return send();
  const offer = streams.offer(stream);
  ctx.options = options;
  ctx.headers = { ...ctx.headers, [STREAM_HEADER]: offer };
  try {
    const response = await send();
    streams.withdraw(offer.id);
    return response;
  } catch (error) {
    streams.fail(offer.id, error as Error);
    throw error;
  }
}

/**
 * Carries out a call from another node, with `ctx.stream` where the call offers a stream. An action that
 * answers no stream of its own is done with the stream of its request.
 */
export async function handleWithStream(
  ctx: Context,
  streams: RemoteStreams,
  handle: () => Promise<unknown>,
): Promise<unknown> {
  const { [STREAM_HEADER]: offer, ...headers } = ctx.headers as Record<string, unknown>;
  const stream = streams.open(offer);
  ctx.headers = headers;
  ctx.stream = stream;
  try {
    const result = await handle();
    if (!isReadable(result)) stream.destroy();
    return result;
  } catch (error) {
    stream.destroy();
    throw error;
  }
}

/** The stream of a call's request. Throws when the call has none. */
export function requestStreamOf({ stream, action }: Pick<Context, 'stream' | 'action'>): Readable {
  if (isReadable(stream)) return stream;
  throw new TypeError(`${action?.name ?? 'The action'} needs a stream.`);
}

/** Whether a call from another node offers a stream. */
export const offersStream = (ctx: Context): boolean => ctx.headers?.[STREAM_HEADER] !== undefined;
