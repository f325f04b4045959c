import type { IncomingHttpHeaders } from 'node:http';
import { canonicalAddress, isLoopback } from '../../../environment/values/ip-address.ts';

const LOCAL_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;

/** Headers that a proxy adds, beside `X-Forwarded-*`. */
const OF_PROXIES = new Set(['forwarded', 'via', 'x-real-ip']);

/** The part of a request that is compared. */
export interface LocalCandidate {
  headers: IncomingHttpHeaders;
  socket: { remoteAddress?: string | undefined };
}

/**
 * Whether a request comes from this machine and no proxy forwarded the request. The Host header has to name this
 * machine, which keeps out web pages whose own name resolves to 127.0.0.1.
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
