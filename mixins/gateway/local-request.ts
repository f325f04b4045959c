import type { IncomingMessage } from 'node:http';

const LOCAL_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;

/**
 * Whether a request comes straight from a person at this machine: no proxy has forwarded it, and it is
 * no page that had its own name resolved to this machine, because its requests carry that name.
 */
export function isLocalRequest({ headers }: IncomingMessage): boolean {
  const forwarded = Object.keys(headers).some(
    (name) => name === 'forwarded' || name.startsWith('x-forwarded-'),
  );
  return !forwarded && LOCAL_HOST.test(headers.host ?? '');
}
