import { invalidRequest } from '../../../contract/problem.ts';
import { bodyFault } from './body-fault.ts';

/** The bounds of a JSON body; a body beyond them is refused with 400. */
export interface JsonBounds {
  /** Levels of nesting. */
  depth: number;
  /** Values: the body itself, each field of an object, each item of a list. */
  values: number;
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

/** The refusal of JSON with more levels than a body may have. */
export const tooDeep = ({ depth }: JsonBounds) =>
  invalidRequest([bodyFault('', 'too_deep', `has more than ${depth} levels of nesting`)]);
/** The refusal of JSON with more values than a body may have. */
export const tooManyValues = ({ values }: JsonBounds) =>
  invalidRequest([bodyFault('', 'too_many_values', `has more than ${values} values`)]);
