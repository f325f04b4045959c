import type { IncomingMessage } from 'node:http';
import type { Client } from '../../../contract/client.ts';
import type { TrustedProxies } from '../../../environment/values/trusted-proxies.ts';

/** Characters of a `User-Agent` that are kept; the rest of a longer one is cut. */
const USER_AGENT_LENGTH = 256;

/** The client of a request: its address as far as the peer and trusted proxies vouch for it. */
export function clientOf({ socket, headers }: IncomingMessage, proxies: TrustedProxies): Client {
  const forwardedFor = headers['x-forwarded-for'];
  return {
    address: proxies.clientAddress(socket.remoteAddress, forwardedFor?.toString()),
    userAgent: headers['user-agent']?.slice(0, USER_AGENT_LENGTH) ?? null,
  };
}
