/**
 * Converts results of JSONata to JSON. Undefined members and elements are left out, and values that JSON cannot
 * represent (functions, infinite numbers) are errors.
 */
import { markInteger } from '../../../data-json.ts';
import type { Json } from '../../../plan.ts';
import { MAX_DEPTH, MAX_RESULT_BYTES } from '../../limits.ts';
import { Refusal } from './fault.ts';
import { isInteger } from './integers.ts';
import { utf8Length } from './utf8.ts';

/** Counts the bytes of the result over all expressions of a template. */
export class Allowance {
  /** Whether an integer of `$integer` is marked, as a body needs it. Otherwise it is text. */
  marksIntegers = false;
  #left = MAX_RESULT_BYTES;

  take(bytes: number): void {
    this.#left -= bytes;
    if (this.#left < 0) {
      throw new Refusal('OUTPUT_TOO_LARGE', `the result is larger than ${MAX_RESULT_BYTES} bytes`);
    }
  }
}

export function clean(value: unknown, allowance: Allowance, depth = 0): Json | undefined {
  switch (typeof value) {
    case 'undefined':
      return undefined;
    case 'string':
      return cleanText(value, allowance);
    case 'boolean':
      allowance.take(5);
      return value;
    case 'number':
      allowance.take(8);
      if (Number.isFinite(value)) return value;
      throw new Refusal('EXPRESSION_FAILED', `the result holds ${value}, which is no JSON number`);
    case 'object':
      if (value === null) return null;
      return isInteger(value)
        ? cleanInteger(value.rawJSON, allowance)
        : cleanComposite(value, allowance, depth);
    default:
      throw new Refusal('EXPRESSION_FAILED', 'the result holds a function');
  }
}

function cleanText(text: string, allowance: Allowance): string {
  allowance.take(utf8Length(text) + 2);
  if (!text.isWellFormed()) {
    throw new Refusal('EXPRESSION_FAILED', 'the result holds half of a surrogate pair');
  }
  return text;
}

function cleanInteger(digits: string, allowance: Allowance): string {
  allowance.take(digits.length + 2);
  return allowance.marksIntegers ? markInteger(digits) : digits;
}

function cleanComposite(value: object, allowance: Allowance, depth: number): Json {
  if (depth >= MAX_DEPTH) {
    throw new Refusal('EXPRESSION_FAILED', `the result is nested more than ${MAX_DEPTH} levels`);
  }
  allowance.take(2);
  return Array.isArray(value)
    ? cleanList(value, allowance, depth)
    : cleanMap(value, allowance, depth);
}

function cleanList(list: readonly unknown[], allowance: Allowance, depth: number): Json[] {
  const result: Json[] = [];
  for (const element of list) {
    allowance.take(1);
    const cleaned = clean(element, allowance, depth + 1);
    if (cleaned !== undefined) result.push(cleaned);
  }
  return result;
}

function cleanMap(map: object, allowance: Allowance, depth: number): Json {
  if (Object.hasOwn(map, '_jsonata_lambda') || Object.hasOwn(map, '_jsonata_function')) {
    throw new Refusal('EXPRESSION_FAILED', 'the result holds a function');
  }
  const result: Record<string, Json> = Object.create(null);
  for (const [key, member] of Object.entries(map)) {
    const cleaned = clean(member, allowance, depth + 1);
    if (cleaned !== undefined) result[cleanText(key, allowance)] = cleaned;
  }
  return result;
}
