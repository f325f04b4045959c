import type { IncomingHttpHeaders } from 'node:http';
import { canonicalAddress, isLoopback } from '../../../environment/values/ip-address.ts';

const LOCAL_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;

/** Headers that a proxy adds, beside `X-Forwarded-*`. */
const OF_PROXIES = new Set(['forwarded', 'via', 'x-real-ip']);

/** What is looked at of a request. */
export interface LocalCandidate {
  headers: IncomingHttpHeaders;
  socket: { remoteAddress?: string | undefined };
}

/**
 * Whether a request comes straight from a person at this machine: no proxy has forwarded it, and it is
 * no page that had its own name resolved to this machine, because its requests carry that name.
 */
export function isLocalRequest({ headers, socket }: LocalCandidate): boolean {
  const isForwarded = Object.keys(headers).some(
    (name) => OF_PROXIES.has(name) || name.startsWith('x-forwarded-'),
  );
  return (
    !isForwarded &&
    LOCAL_HOST.test(headers.host ?? '') &&
    isLoopback(canonicalAddress(socket.remoteAddress ?? ''))
  );
}
