import { tooLarge } from './configurations.problems.ts';
import type { StoredConfiguration } from './configurations.store.ts';
import { MAX_PAIRS, MAX_PROPERTIES } from './contract/resources.ts';

/** Bytes of JSON that the name, the properties and the pairs of a store take together, with their ids. */
const MAX_STORE_BYTES = 200 * 1024;

type Content = Pick<StoredConfiguration, 'name' | 'properties' | 'flowCredentialPairs'>;

/** Measures contents. Objects that several contents share are measured once. */
export class ContentMeter {
  readonly #sizes = new WeakMap<object, number>();

  /** The bytes of the content as JSON. */
  bytesOf({ name, properties, flowCredentialPairs }: Content): number {
    const brackets = jsonBytes({ name, properties: [], flowCredentialPairs: [] });
    return brackets + this.#elementBytes(properties) + this.#elementBytes(flowCredentialPairs);
  }

  /** The bytes between the brackets of a list. */
  #elementBytes(elements: readonly object[]): number {
    const commas = Math.max(elements.length - 1, 0);
    return elements.reduce((sum, element) => sum + this.#sizeOf(element), commas);
  }

  #sizeOf(element: object): number {
    const known = this.#sizes.get(element);
    if (known !== undefined) return known;
    const size = jsonBytes(element);
    this.#sizes.set(element, size);
    return size;
  }
}

const jsonBytes = (value: object): number => Buffer.byteLength(JSON.stringify(value));

/** Throws 400 for a store that a change would make too large. `field` is the field of the request that adds to it. */
export function assertWithinLimits(
  content: Content,
  field: string,
  meter: ContentMeter = new ContentMeter(),
): void {
  if (content.properties.length > MAX_PROPERTIES) {
    throw tooLarge(field, `a store has at most ${MAX_PROPERTIES} properties`);
  }
  if (content.flowCredentialPairs.length > MAX_PAIRS) {
    throw tooLarge(field, `a store has at most ${MAX_PAIRS} pairs`);
  }
  if (meter.bytesOf(content) > MAX_STORE_BYTES) {
    throw tooLarge(field, `a store takes at most ${MAX_STORE_BYTES} bytes of JSON`);
  }
}
