/** About how much memory an interpretation takes: that of the values it holds, in bytes. */
import type { Json } from '../plan.ts';
import type { Effect } from './effect.ts';
import type { Value } from './host.ts';
import { JsonText } from './json-text.ts';

type Holdable = Value | JsonText | Effect;

/* What the engine needs beside the characters of texts and the elements of lists and maps. */
const TEXT_BYTES = 32;
const NUMBER_BYTES = 16;
const COMPOSITE_BYTES = 64;
const ELEMENT_BYTES = 8;
const MEMBER_BYTES = 48;

/** The values held at one time; one that is held several times counts once, texts apart. */
export class Held {
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

/** Twice a text's length: room for characters that are no ASCII, or for the JSON written of it. */
function weightOfText(text: string): number {
  return TEXT_BYTES + 2 * text.length;
}

function weightOfComposite(value: Json[] | { [key: string]: Json } | Effect): number {
  let weight = COMPOSITE_BYTES;
  if (Array.isArray(value)) {
    for (const element of value) weight += ELEMENT_BYTES + weightOfPart(element);
    return weight;
  }
  for (const [key, member] of Object.entries(value)) {
    weight += MEMBER_BYTES + key.length + weightOfPart(member);
  }
  return weight;
}

/** As `weightOf`, and remembers nothing of the parts. */
const weightOfPart = (value: Json): number =>
  typeof value === 'object' && value !== null ? weightOfComposite(value) : weightOfScalar(value);
