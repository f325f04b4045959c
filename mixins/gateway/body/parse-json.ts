import type { ActionContract } from '../../../contract/contract.ts';
import { type FieldFault, MalformedBody, MOST_FAULTS, Problem } from '../../../contract/problem.ts';
import { bodyFault } from './body-fault.ts';
import { jsonFaults } from './json-faults.ts';
import { placeOfMistake } from './json-mistake.ts';
import { scanJson } from './scan-json.ts';

/** Levels of nesting of a body, where the contract says nothing else. */
export const BODY_DEPTH = 32;
/** JSON values of a body, where the contract says nothing else. */
export const BODY_VALUES = 10_000;

/** Parses a body of JSON with its faults. Throws 400 for text that is not JSON in UTF-8, or that is beyond the bounds. */
export function parseJson(
  bytes: Buffer,
  {
    bodyDepth = BODY_DEPTH,
    bodyValues = BODY_VALUES,
  }: Pick<ActionContract, 'bodyDepth' | 'bodyValues'>,
): { value: unknown; faults: FieldFault[] } {
  const text = textOf(bytes, 'JSON');
  const bounds = { depth: bodyDepth, values: bodyValues };
  const { repeatedKeys, mayHaveFaults } = scanJson(text, bounds, MOST_FAULTS);
  const value = parse(text);
  const faults = mayHaveFaults ? jsonFaults(value) : [];
  return { value, faults: [...faults, ...repeatedKeys.map(givenTwice)] };
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const malformed = (type: string) => new Problem(MalformedBody, `The body is not ${type} in UTF-8.`);

/** Decodes a body of the type. A byte order mark stays. Throws 400 for bytes that are not UTF-8. */
export function textOf(bytes: Buffer, type: string): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw malformed(type);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const { line, column } = placeOfMistake(text);
    const detail = `The body is not JSON in UTF-8: the mistake is at line ${line}, column ${column}.`;
    throw new Problem(MalformedBody, detail);
  }
}

const givenTwice = (path: string): FieldFault =>
  bodyFault(path, 'given_twice', 'is given more than once');
