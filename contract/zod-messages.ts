import { z } from 'zod';

/** What zod calls a fault of ours, where its word would say nothing to a caller. */
const CODES: Record<string, string> = {
  custom: 'invalid_value',
  invalid_union: 'invalid_value',
  not_multiple_of: 'invalid_value',
  invalid_key: 'invalid_value',
  invalid_element: 'invalid_value',
};

/** The stable code of a fault. */
export const codeOf = ({ code }: { code: string }): string => CODES[code] ?? code;

const TYPES: Record<string, string> = {
  int: 'a whole number',
  array: 'a list',
  record: 'an object',
  object: 'an object',
};
const typeName = (type: string): string => TYPES[type] ?? `a ${type}`;

/** How much of something is too little or too much, by what it is counted in. */
const UNITS: Record<string, (n: string) => string> = {
  string: (n) => `have %s ${n} characters`,
  array: (n) => `have %s ${n} items`,
  set: (n) => `have %s ${n} items`,
};
const bound = (origin: string, word: string, n: unknown): string =>
  `must ${(UNITS[origin] ?? ((of: string) => `be %s ${of}`))(String(n)).replace('%s', word)}`;

/** One fault as the rest of a sentence that begins with the field's name. Null leaves it to zod. */
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

/** An exclusive bound of whole numbers is the next one. */
const lowest = ({ minimum, inclusive }: { minimum: number | bigint; inclusive?: boolean }) =>
  inclusive === false ? Number(minimum) + 1 : minimum;

const FORMATS: Record<string, string> = {
  datetime: 'a date and time in ISO 8601, such as 2026-01-31T09:30:00.000Z',
  date: 'a day, such as 2026-01-31',
  url: 'an absolute address',
  email: 'an e-mail address',
};

/** Lets every schema of the process speak so; a sentence that a schema brings itself comes first. */
export function installZodMessages(): void {
  z.config({ localeError: (issue) => messageOf(issue) ?? undefined });
}
