import { type LookupAddress, lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { promisify } from 'node:util';
import type { AllowList } from './allow-list.ts';
import { OutboundError } from './errors.ts';
import { bareHost, portOf, refusedHostError } from './target.ts';

/** Resolves a name to all its addresses. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

const lookupAll = promisify(lookup);
/** Resolves a name by the system's resolver, which reads the hosts file as well. */
export const systemResolve: Resolve = (host) => lookupAll(host, { all: true });

/**
 * Makes the lookup function of the connections to one origin. It resolves the name, checks the addresses and gives the
 * checked addresses to the socket, so that no other answer of a resolver is used. One refused address refuses the name.
 */
export function createCheckedLookup(
  origin: URL,
  allowed: AllowList,
  resolve: Resolve,
): LookupFunction {
  const find = async (): Promise<readonly LookupAddress[]> => {
    const host = bareHost(origin);
    const addresses = await resolve(host).catch((error: unknown) => {
      throw unresolvedNameError(host, error);
    });
    if (addresses.length === 0) throw unresolvedNameError(host);
    for (const { address } of addresses) {
      if (!allowed.permits(address, origin.hostname, portOf(origin))) {
        throw refusedHostError(origin, allowed);
      }
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

const unresolvedNameError = (host: string, cause?: unknown): OutboundError =>
  new OutboundError('CONNECTION_FAILED', `The name ${host} cannot be resolved.`, cause);
