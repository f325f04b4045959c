import { AsyncLocalStorage } from 'node:async_hooks';
import { randomFillSync } from 'node:crypto';

/**
 * W3C Trace Context: where a piece of work belongs, as the text of a `traceparent` header. It comes in
 * with a request, goes along with every call, stays with a run, and goes out with what a run calls.
 */
const current = new AsyncLocalStorage<string>();

/** The traceparent of what is being done here and now. */
export const currentTrace = (): string | undefined => current.getStore();

/** Does the work as part of a trace. */
export const inTrace = <T>(traceparent: string, work: () => T): T =>
  current.getStore() === traceparent ? work() : current.run(traceparent, work);

const VERSION_0 = /^00-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/;
/** Of a version to come, what version 0 has of it; `ff` is none. */
const LATER = /^(?!ff)[\da-f]{2}-((?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2})(?:-.*)?$/;

/** A header's value as version 0 writes it, or null when it is no traceparent. */
export function readTraceparent(header: unknown): string | null {
  if (typeof header !== 'string' || header.length > 512) return null;
  if (VERSION_0.test(header)) return header;
  const later = header.startsWith('00') ? null : LATER.exec(header);
  return later ? `00-${later[1]}` : null;
}

/** A trace that begins here. Its flags say that nobody has recorded it. */
export const newTraceparent = (): string => `00-${hex(16)}-${hex(8)}-00`;

/** The same trace, a new piece of work. */
export const childOf = (traceparent: string): string =>
  `${traceparent.slice(0, 36)}${hex(8)}${traceparent.slice(52)}`;

/** As the log writes it. */
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
