import fc from 'fast-check';

/** Values that no field, or not every field, may have. Tests put each of them in each field of each request. */
export const HOSTILE_VALUES: readonly unknown[] = [
  null,
  '',
  ' ',
  'x',
  '  blanks around  ',
  'nul\u0000inside',
  'line\nbreak\r\nand tab\t',
  'lone \ud800 surrogate',
  '\u202eturned\u202c',
  '\u200b',
  'x'.repeat(201),
  'x'.repeat(12_000),
  'Ｏwner@example.com',
  'OWNER@EXAMPLE.COM',
  'оwner@example.com', // the first letter is Cyrillic
  'owner@exam\u0000ple.com',
  'a@b',
  '1',
  '01',
  '-1',
  '1e3',
  '9007199254740993',
  '../../x',
  '%00',
  '$where',
  '__proto__',
  '2026-02-30T00:00:00.000Z',
  0,
  -1,
  1,
  1.5,
  1e308,
  Number.MAX_SAFE_INTEGER,
  Number.MAX_SAFE_INTEGER + 1,
  true,
  false,
  [],
  [null],
  ['x', 'x'],
  {},
  { $ne: null },
  { $gt: '' },
  { constructor: { prototype: {} } },
  { id: 1 },
];

/** A hostile value, or any JSON. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...HOSTILE_VALUES) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
);

/** Bodies that are no JSON object, as they are sent. */
export const RAW_BODIES: readonly string[] = [
  '',
  '{',
  'null',
  '[]',
  '"x"',
  '1',
  '{"a":1}x',
  '{"__proto__":{"a":1}}',
  '{"id":1,"id":2}',
  '\ufeff{}',
  `${'['.repeat(40)}${']'.repeat(40)}`,
  '{"a":1e999}',
];

/** Headers that requests carry besides their own. */
export const HOSTILE_HEADERS: readonly Record<string, string>[] = [
  { 'if-match': '"x"' },
  { 'if-match': 'x' },
  { 'if-none-match': '*' },
  { 'idempotency-key': 'x'.repeat(300) },
  { 'idempotency-key': '' },
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/json; charset=latin1' },
  { 'content-type': 'x' },
  { 'content-encoding': 'gzip' },
  { accept: 'text/html' },
  { authorization: 'Bearer' },
  { authorization: 'Basic eDp5' },
  { authorization: `Bearer ${'x'.repeat(9000)}` },
  { 'x-api-key': 'wsk_x' },
  { 'x-request-id': 'a b\tc' },
  { 'x-forwarded-for': '1.2.3.4' },
  { 'user-agent': 'x'.repeat(2000) },
  { traceparent: 'x' },
];
