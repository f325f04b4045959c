import { type LookupAddress, lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { promisify } from 'node:util';
import type { AllowList } from './allow-list.ts';
import { OutboundError } from './errors.ts';
import { bareHost, portOf, refusedHost } from './target.ts';

/** All addresses of a name. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

const lookupAll = promisify(lookup);
/** The system's own resolver, hosts file included. */
export const systemResolve: Resolve = (host) => lookupAll(host, { all: true });

/**
 * How the connections to one origin find their address: resolved, checked and handed to the socket in
 * one step, so that no second answer of the resolver can come in between. One address that may not
 * be called refuses the whole name.
 */
export function checkedLookup(origin: URL, allowed: AllowList, resolve: Resolve): LookupFunction {
  const find = async (): Promise<readonly LookupAddress[]> => {
    const host = bareHost(origin);
    const addresses = await resolve(host).catch((error: unknown) => {
      throw unresolved(host, error);
    });
    if (addresses.length === 0) throw unresolved(host);
    for (const { address } of addresses) {
      if (!allowed.permits(address, origin.hostname, portOf(origin))) throw refusedHost(host);
    }
    return addresses;
  };
  return (_host, { all }, callback) => {
    find().then(
      (addresses) => {
        const [first] = addresses;
        if (all || !first) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };
}

const unresolved = (host: string, cause?: unknown): OutboundError =>
  new OutboundError('CONNECTION_FAILED', `The name ${host} cannot be resolved.`, cause);
