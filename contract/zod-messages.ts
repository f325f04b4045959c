import { z } from 'zod';

/** Our codes of faults whose code by zod would tell a caller nothing. */
const CODES: Record<string, string> = {
  custom: 'invalid_value',
  invalid_union: 'invalid_value',
  not_multiple_of: 'invalid_value',
  invalid_key: 'invalid_value',
  invalid_element: 'invalid_value',
};

/** The stable code of a fault that zod found. */
export const codeOf = ({ code }: { code: string }): string => CODES[code] ?? code;

const TYPES: Record<string, string> = {
  int: 'a whole number',
  array: 'a list',
  record: 'an object',
  object: 'an object',
};
const typeName = (type: string): string => TYPES[type] ?? `a ${type}`;

/** The unit of a bound, by the type of the value. */
const UNITS: Record<string, (n: string) => string> = {
  string: (n) => `have %s ${n} characters`,
  array: (n) => `have %s ${n} items`,
  set: (n) => `have %s ${n} items`,
};
const bound = (origin: string, word: string, n: unknown): string =>
  `must ${(UNITS[origin] ?? ((of: string) => `be %s ${of}`))(String(n)).replace('%s', word)}`;

/** The message of a fault, which continues a sentence that begins with the field's name. Null means zod's own message. */
export function messageOf(issue: z.core.$ZodRawIssue): string | null {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${typeName(String(issue.expected))}`;
    case 'too_small':
      return bound(issue.origin, 'at least', lowest(issue));
    case 'too_big':
      return bound(issue.origin, 'at most', issue.maximum);
    case 'invalid_value':
      return `must be ${issue.values.map(String).join(' or ')}`;
    case 'invalid_format':
      return `must be ${FORMATS[issue.format] ?? `in the form ${issue.format}`}`;
    case 'invalid_union':
      return 'is none of what is possible here';
    default:
      return null;
  }
}

/** The lowest whole number that a bound allows. */
const lowest = ({ minimum, inclusive }: { minimum: number | bigint; inclusive?: boolean }) =>
  inclusive === false ? Number(minimum) + 1 : minimum;

const FORMATS: Record<string, string> = {
  datetime: 'a date and time in ISO 8601, such as 2026-01-31T09:30:00.000Z',
  date: 'a day, such as 2026-01-31',
  url: 'an absolute address',
  email: 'an e-mail address',
};

/** Gives all schemas of the process these messages. The own message of a schema has precedence. */
export function installZodMessages(): void {
  z.config({ localeError: (issue) => messageOf(issue) ?? undefined });
}
