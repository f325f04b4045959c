import { invalidRequest } from '../../../contract/problem.ts';
import { bodyFault } from './body-fault.ts';
import { endOfString } from './json-string.ts';

/** The bounds of a JSON body; a body beyond them is refused with 400. */
export interface JsonBounds {
  /** Levels of nesting. */
  depth: number;
  /** Values: the body itself, each field of an object, each item of a list. */
  values: number;
}

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/**
 * Throws 400 for a text with more values or levels than a body may have, before `JSON.parse` makes
 * objects of them. The text need not be JSON.
 */
export function assertBounded(text: string, bounds: JsonBounds): void {
  let values = 1;
  let level = 0;
  let isEmpty = false; // whether the last opened object or list has no value yet
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code <= SPACE) continue;
    const closes = code === CLOSING_BRACKET || code === CLOSING_BRACE;
    if (code === COMMA || (isEmpty && !closes)) values++;
    if (values > bounds.values) throw tooManyValues(bounds);
    isEmpty = code === OPENING_BRACKET || code === OPENING_BRACE;
    if (isEmpty && ++level > bounds.depth) throw tooDeep(bounds);
    if (closes) level--;
    if (code === QUOTE) at = endOfString(text, at);
  }
}

/** Throws 400 for a value with more values or levels than a body may have. It looks no deeper than that. */
export function assertBoundedValue(value: unknown, bounds: JsonBounds): void {
  let values = 0;
  const visit = (part: unknown, level: number): void => {
    if (++values > bounds.values) throw tooManyValues(bounds);
    if (typeof part !== 'object' || part === null) return;
    if (level === bounds.depth) throw tooDeep(bounds);
    for (const inner of Array.isArray(part) ? part : Object.values(part)) visit(inner, level + 1);
  };
  visit(value, 0);
}

const tooDeep = ({ depth }: JsonBounds) =>
  invalidRequest([bodyFault('', 'too_deep', `has more than ${depth} levels of nesting`)]);
const tooManyValues = ({ values }: JsonBounds) =>
  invalidRequest([bodyFault('', 'too_many_values', `has more than ${values} values`)]);
