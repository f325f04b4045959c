/** Estimates the memory of an interpretation in bytes, from the values that it holds. */
import type { Json } from '../plan.ts';
import type { Effect } from './effect.ts';
import type { Value } from './host.ts';
import { JsonText } from './json-text.ts';

type Holdable = Value | JsonText | Effect;

/** Estimated bytes of a string, apart from its characters. */
const TEXT_BYTES = 32;
/** Estimated bytes of a number. */
const NUMBER_BYTES = 16;
/** Estimated bytes of a list or map, apart from its elements or members. */
const COMPOSITE_BYTES = 64;
/** Estimated bytes of a list's reference to one element, apart from the element. */
const ELEMENT_BYTES = 8;
/** Estimated bytes of one member of a map, apart from the characters of its key and from its value. */
const MEMBER_BYTES = 48;

/** Adds up the held values. A list or map that is held several times counts once; a string counts each time. */
export class HeldValues {
  readonly #holders = new Map<object, number>();
  #weight = 0;

  get weight(): number {
    return this.#weight;
  }

  hold(value: Holdable): void {
    if (typeof value === 'object' && value !== null) {
      const holders = this.#holders.get(value) ?? 0;
      this.#holders.set(value, holders + 1);
      if (holders > 0) return;
    }
    this.#weight += weightOf(value);
  }

  release(value: Holdable): void {
    if (typeof value === 'object' && value !== null) {
      const holders = (this.#holders.get(value) ?? 0) - 1;
      if (holders > 0) {
        this.#holders.set(value, holders);
        return;
      }
      this.#holders.delete(value);
    }
    this.#weight -= weightOf(value);
  }
}

const weights = new WeakMap<object, number>();

function weightOf(value: Holdable): number {
  if (typeof value !== 'object' || value === null) return weightOfScalar(value);
  let weight = weights.get(value);
  if (weight === undefined) {
    weight = value instanceof JsonText ? weightOfText(value.text) : weightOfComposite(value);
    weights.set(value, weight);
  }
  return weight;
}

function weightOfScalar(value: string | number | boolean | null | undefined): number {
  if (typeof value === 'string') return weightOfText(value);
  return typeof value === 'number' ? NUMBER_BYTES : 0;
}

/** Counts 2 bytes for each character: for characters outside Latin-1, or for the JSON text of the string. */
function weightOfText(text: string): number {
  return TEXT_BYTES + 2 * text.length;
}

function weightOfComposite(value: Json[] | { [key: string]: Json } | Effect): number {
  let weight = COMPOSITE_BYTES;
  if (Array.isArray(value)) {
    for (const element of value) weight += ELEMENT_BYTES + weightOfPart(element);
    return weight;
  }
  const map = value as { [key: string]: Json };
  for (const key in map) weight += MEMBER_BYTES + key.length + weightOfPart(map[key] ?? null);
  return weight;
}

/** Does the same as `weightOf` without the cache, which has the weights of whole values only. */
const weightOfPart = (value: Json): number =>
  typeof value === 'object' && value !== null ? weightOfComposite(value) : weightOfScalar(value);
