import { createHmac } from 'node:crypto';
import type { Client } from '../../../contract/client.ts';
import { networkOf } from '../../../environment/values/ip-address.ts';
import type { KnownNetwork, UserDocument } from '../../../models/user.model.ts';
import { derivedKey } from './derived-key.ts';
import { signingKeys } from './signing-keys.ts';

const DAY_MS = 24 * 3600 * 1000;
/** Milliseconds for which a network is known after a sign-in from it. */
const KNOWN_MS = 30 * DAY_MS;
/** Milliseconds within which another sign-in from the same network is not stored again. */
const STORED_EVERY_MS = DAY_MS;
/** Networks that are stored for a user. Beyond it the network with the oldest sign-in is dropped. */
const MAX_NETWORKS = 16;

type Known = Pick<UserDocument, 'knownNetworks'>;

/** The stored form of a network: an HMAC, because an address could be guessed from a plain hash. */
function hashOfNetwork({ address }: Client, kid = signingKeys()[0].kid): string {
  const key = derivedKey('known network', kid);
  if (!key) throw new Error(`there is no signing key ${kid}`);
  return createHmac('sha256', key).update(networkOf(address)).digest('base64url');
}

/** The stored hash of the client's network, if the user signed in from it within 30 days; else null. */
export function findKnownNetwork(
  user: Known | null,
  client: Client,
  now = new Date(),
): string | null {
  const found = find(user, client);
  return found && now.getTime() - found.at.getTime() <= KNOWN_MS ? found.hash : null;
}

/** The user's networks with the client's as the newest; null when the client's is stored already. */
export function withNetwork(
  user: Known | null,
  client: Client,
  now = new Date(),
): KnownNetwork[] | null {
  const found = find(user, client);
  const hash = hashOfNetwork(client);
  const isRecent = found && now.getTime() - found.at.getTime() <= STORED_EVERY_MS;
  if (isRecent && found.hash === hash) return null;
  const others = (user?.knownNetworks ?? []).filter(
    (network) => network !== found && now.getTime() - network.at.getTime() <= KNOWN_MS,
  );
  return [{ hash, at: now }, ...others].slice(0, MAX_NETWORKS);
}

/**
 * The stored form of the client's network, under any of the present signing keys. The hashes are computed for a missing
 * user as well, so that the time does not tell that there is none.
 */
function find(user: Known | null, client: Client): KnownNetwork | undefined {
  const hashes = new Set(signingKeys().map(({ kid }) => hashOfNetwork(client, kid)));
  return user?.knownNetworks?.find(({ hash }) => hashes.has(hash));
}
