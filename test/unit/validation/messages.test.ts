import { z } from 'zod';
import { Id } from '../../../contract/fields.ts';
import { installZodMessages } from '../../../contract/zod-messages.ts';

installZodMessages();
const said = (type: z.ZodType, value: unknown) => type.safeParse(value).error?.issues[0]?.message;

it.each<[string, z.ZodType, unknown, string]>([
  ['a type', z.string(), 1, 'must be a string'],
  ['a whole number', Id, 1.5, 'must be a whole number'],
  ['a positive number', Id, 0, 'must be at least 1'],
  ['a safe number', Id, 2 ** 60, 'must be at most 9007199254740991'],
  ['a short text', z.string().min(3), 'ab', 'must have at least 3 characters'],
  ['a long list', z.array(z.int()).max(1), [1, 2], 'must have at most 1 items'],
  ['a choice', z.enum(['A', 'B']), 'C', 'must be A or B'],
  [
    'a time',
    z.iso.datetime(),
    'now',
    'must be a date and time in ISO 8601, such as 2026-01-31T09:30:00.000Z',
  ],
  ['a sentence of its own', z.string('must be a name'), 1, 'must be a name'],
])('a fault continues the sentence that the field begins: %s', (_what, type, value, message) => {
  expect(said(type, value)).toBe(message);
});
