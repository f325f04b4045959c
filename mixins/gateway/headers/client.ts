import type { IncomingMessage } from 'node:http';
import type { Client } from '../../../contract/client.ts';
import type { TrustedProxies } from '../../../environment/values/trusted-proxies.ts';

/** Characters of a `User-Agent`; a longer header is cut. */
const USER_AGENT_LENGTH = 256;

/** The client of a request. Its address is that of the peer, or the one that trusted proxies forward. */
export function clientOf({ socket, headers }: IncomingMessage, proxies: TrustedProxies): Client {
  const forwardedFor = headers['x-forwarded-for'];
  return {
    address: proxies.clientAddress(socket.remoteAddress, forwardedFor?.toString()),
    userAgent: headers['user-agent']?.slice(0, USER_AGENT_LENGTH) ?? null,
  };
}
