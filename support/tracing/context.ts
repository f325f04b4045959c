import { AsyncLocalStorage } from 'node:async_hooks';
import { randomFillSync } from 'node:crypto';

/**
 * W3C Trace Context: the trace that a piece of work is part of, as the text of a `traceparent` header. A request
 * brings it, every call and every run carries it, and the HTTP calls of a run send it.
 */
const current = new AsyncLocalStorage<string>();

/** The traceparent of the present asynchronous context. */
export const currentTrace = (): string | undefined => current.getStore();

/** Does the work as part of a trace. */
export const inTrace = <T>(traceparent: string, work: () => T): T =>
  current.getStore() === traceparent ? work() : current.run(traceparent, work);

const VERSION_0 = /^00-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/;
/** A later version; its first four fields are those of version 0. The version `ff` does not exist. */
const LATER = /^(?!ff)[\da-f]{2}-((?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2})(?:-.*)?$/;

/** A header's value as version 0 writes it, or null when it is no traceparent. */
export function readTraceparent(header: unknown): string | null {
  if (typeof header !== 'string' || header.length > 512) return null;
  if (VERSION_0.test(header)) return header;
  const later = header.startsWith('00') ? null : LATER.exec(header);
  return later ? `00-${later[1]}` : null;
}

/** Starts a trace. Its flags say that it is not recorded. */
export const newTraceparent = (): string => `00-${hex(16)}-${hex(8)}-00`;

/** A new span of the same trace. */
export const childOf = (traceparent: string): string =>
  `${traceparent.slice(0, 36)}${hex(8)}${traceparent.slice(52)}`;

/** The fields of a log line that name the trace and the span. */
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
