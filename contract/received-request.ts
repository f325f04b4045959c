import { z } from 'zod';

/** A request as it was received, for an action whose requests have the form that another system gives them. */
export const ReceivedRequest = z.strictObject({
  /** By name in lower case. Headers that authenticate or forward are left out. */
  headers: z.record(z.string(), z.string()),
  query: z.record(z.string(), z.string()),
  /** The media type in lower case, without parameters; empty for a request without a body. */
  mediaType: z.string(),
  /** The bytes of the body in base64, as they were sent. */
  body: z.string(),
});
export type ReceivedRequest = z.output<typeof ReceivedRequest>;

const EXACT_TYPES = new Set(['application/json', 'application/x-www-form-urlencoded']);

/** The media types of the bodies of such requests, for the reference. */
export const RECEIVED_TYPES = [...EXACT_TYPES, 'text/plain'] as const;

/** Whether a body of the media type is JSON. */
export const isJsonType = (mediaType: string): boolean =>
  mediaType === 'application/json' || /^application\/[\w.-]+\+json$/.test(mediaType);

/** Whether a body of the media type is received: JSON, text or a form. */
export const isReceivedType = (mediaType: string): boolean =>
  EXACT_TYPES.has(mediaType) || isJsonType(mediaType) || /^text\/[\w.+-]+$/.test(mediaType);
