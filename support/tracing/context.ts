import { AsyncLocalStorage } from 'node:async_hooks';
import { randomFillSync } from 'node:crypto';

/**
 * The trace of the present work, as a W3C `traceparent`. Requests, calls between services, runs and the HTTP calls of
 * runs pass the traceparent on.
 */
const current = new AsyncLocalStorage<string | undefined>();

/** The traceparent of the present asynchronous context. */
export const currentTrace = (): string | undefined => current.getStore();

/** Does the work with the traceparent as its context; undefined for work outside every trace. */
export const inTrace = <T>(traceparent: string | undefined, work: () => T): T =>
  current.getStore() === traceparent ? work() : current.run(traceparent, work);

const VERSION_0 = /^00-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/;
/** A traceparent of a later version, which begins with the fields of version 0. The version `ff` is invalid. */
const LATER = /^(?!ff)[\da-f]{2}-((?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2})(?:-.*)?$/;

/** The header's value in the form of version 0; null for an invalid traceparent. */
export function readTraceparent(header: unknown): string | null {
  if (typeof header !== 'string' || header.length > 512) return null;
  if (VERSION_0.test(header)) return header;
  const later = header.startsWith('00') ? null : LATER.exec(header);
  return later ? `00-${later[1]}` : null;
}

/** Makes the traceparent of a new trace. The flags say that the trace is not sampled. */
export const newTraceparent = (): string => `00-${hex(16)}-${hex(8)}-00`;

/** The traceparent of a new span in the same trace. */
export const childOf = (traceparent: string): string =>
  `${traceparent.slice(0, 36)}${hex(8)}${traceparent.slice(52)}`;

/** Whether the spans of the trace are recorded by the flag of whoever began it. */
export const isSampled = (traceparent: string | undefined): boolean =>
  traceparent !== undefined && (Number.parseInt(traceparent.slice(53, 55), 16) & 1) === 1;

/** The ids of the trace and the span, for a log line. */
export const traceFields = (traceparent: string | undefined) =>
  traceparent === undefined
    ? {}
    : { traceId: traceparent.slice(3, 35), spanId: traceparent.slice(36, 52) };

const random = Buffer.alloc(4_096);
let used = random.length;
function hex(bytes: 8 | 16): string {
  if (used + bytes > random.length) {
    randomFillSync(random);
    used = 0;
  }
  used += bytes;
  return random.toString('hex', used - bytes, used);
}
