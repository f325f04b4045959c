import { mayHaveLargeNumbers, parseDataJson } from '@workspace-automation/flow-language/data-json';
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

/** The members of a body that are data of a user (`parseDataJson`), or that the whole body is. */
export type DataMembers = readonly string[] | 'all';

/** Parses a body of JSON with its faults. Throws 400 for text that is not JSON in UTF-8, or that is beyond the bounds. */
export function parseJson(
  bytes: Buffer,
  {
    bodyDepth = BODY_DEPTH,
    bodyValues = BODY_VALUES,
  }: Pick<ActionContract, 'bodyDepth' | 'bodyValues'>,
  dataMembersOf: () => DataMembers,
): { value: unknown; faults: FieldFault[] } {
  const text = textOf(bytes, 'JSON');
  const bounds = { depth: bodyDepth, values: bodyValues };
  const { repeatedKeys, mayHaveFaults } = scanJson(text, bounds, MOST_FAULTS);
  const value = parse(text, dataMembersOf);
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

function parse(text: string, dataMembersOf: () => DataMembers): unknown {
  try {
    return mayHaveLargeNumbers(text) ? parseLarge(text, dataMembersOf()) : JSON.parse(text);
  } catch {
    const { line, column } = placeOfMistake(text);
    const detail = `The body is not JSON in UTF-8: the mistake is at line ${line}, column ${column}.`;
    throw new Problem(MalformedBody, detail);
  }
}

/** Parses a text as data in its data members, and its other members as numbers, which their types refuse. */
function parseLarge(text: string, dataMembers: DataMembers): unknown {
  const data = parseDataJson(text);
  if (dataMembers === 'all') return data;
  const value = JSON.parse(text);
  if (!isObject(value) || !isObject(data)) return value;
  for (const name of dataMembers) if (Object.hasOwn(value, name)) value[name] = data[name];
  return value;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const givenTwice = (path: string): FieldFault =>
  bodyFault(path, 'given_twice', 'is given more than once');
