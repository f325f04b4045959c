import { Readable } from 'node:stream';

/** Names a stream in the headers of a request or of a response. */
export interface StreamOffer {
  id: string;
  node: string;
  objectMode: boolean;
}

/** The header that has the offer. */
export const STREAM_HEADER = '$remoteStream';

export const isReadable = (value: unknown): value is Readable => value instanceof Readable;

/** Whether the header of another node's message is an offer. */
export function isOffer(value: unknown): value is StreamOffer {
  const { id, node, objectMode } = (value ?? {}) as Record<keyof StreamOffer, unknown>;
  return typeof id === 'string' && typeof node === 'string' && typeof objectMode === 'boolean';
}
