import { tooLarge } from './configurations.problems.ts';
import { MAX_PAIRS, MAX_PROPERTIES } from './contract/resources.ts';

/** Bytes of JSON that the name, the properties and the pairs of a store take together, with their ids. A larger store is refused. */
const MAX_STORE_BYTES = 200 * 1024;

/** The parts of a store that count for its size. Elements that are not stored yet have no ids. */
interface Content {
  name: string;
  properties: readonly object[];
  flowCredentialPairs: readonly object[];
}

/** The fields of a request that are blamed for too many elements, and for too many bytes. */
export interface BlamedFields {
  count: string;
  bytes: string;
}

/** Finds the field that is blamed for a request that makes a store too large: the given field that can hold most. */
export function blamedOf(given: Partial<{ [K in keyof Content]: unknown }>): BlamedFields {
  const field = ORDER_OF_BLAME.find((name) => given[name] !== undefined) ?? 'name';
  return { count: field, bytes: field };
}

const ORDER_OF_BLAME = ['properties', 'flowCredentialPairs'] as const;

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

/** Throws 400 for a store that a change would make too large. */
export function assertWithinLimits(
  content: Content,
  { count, bytes }: BlamedFields,
  meter: ContentMeter = new ContentMeter(),
): void {
  if (content.properties.length > MAX_PROPERTIES) {
    throw tooLarge(count, `a store has at most ${MAX_PROPERTIES} properties`);
  }
  if (content.flowCredentialPairs.length > MAX_PAIRS) {
    throw tooLarge(count, `a store has at most ${MAX_PAIRS} pairs`);
  }
  if (meter.bytesOf(content) > MAX_STORE_BYTES) {
    throw tooLarge(bytes, `a store takes at most ${MAX_STORE_BYTES} bytes of JSON`);
  }
}
