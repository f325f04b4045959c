import { tooLarge } from './configurations.problems.ts';
import type { StoredConfiguration } from './configurations.store.ts';
import { MAX_PAIRS, MAX_PROPERTIES } from './contract/resources.ts';

/** Bytes of JSON that the name, the properties and the pairs of a store take together, with their ids. */
const MAX_STORE_BYTES = 200 * 1024;

type Content = Pick<StoredConfiguration, 'name' | 'properties' | 'flowCredentialPairs'>;

const bytesOf = ({ name, properties, flowCredentialPairs }: Content): number =>
  Buffer.byteLength(JSON.stringify({ name, properties, flowCredentialPairs }));

/** Throws 400 for a store that a change would make too large. `field` is the field of the request that adds to it. */
export function assertWithinLimits(content: Content, field: string): void {
  if (content.properties.length > MAX_PROPERTIES) {
    throw tooLarge(field, `a store has at most ${MAX_PROPERTIES} properties`);
  }
  if (content.flowCredentialPairs.length > MAX_PAIRS) {
    throw tooLarge(field, `a store has at most ${MAX_PAIRS} pairs`);
  }
  if (bytesOf(content) > MAX_STORE_BYTES) {
    throw tooLarge(field, `a store takes at most ${MAX_STORE_BYTES} bytes of JSON`);
  }
}
