import fc from 'fast-check';

/** Values that break code which trusts its input: types, bounds, names of prototypes, Unicode, and syntax of other languages. */
export const HOSTILE_VALUES: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  1.5,
  -0,
  2 ** 53,
  2 ** 53 - 1,
  -(2 ** 53),
  1e308,
  '',
  ' ',
  '0',
  '1',
  '-1',
  '1e3',
  '9007199254740992',
  'NaN',
  '__proto__',
  'constructor',
  'toString',
  '\u0000',
  '\u202e',
  '\ud800',
  '\ufeff',
  '\u200b',
  'é'.repeat(300),
  'x'.repeat(5_000),
  '{"$gt":""}',
  "' OR 1=1 --",
  '../../etc/passwd',
  '%00',
  `\${ $eval("1") }`,
  `\${ $sum([1..100000]) }`,
  '<script>alert(1)</script>',
  '\r\nX-Injected: 1',
  [],
  [[]],
  [null],
  Array.from({ length: 200 }, (_, at) => at),
  {},
  { $gt: '' },
  { $where: 'sleep(1000)' },
  { constructor: { prototype: { polluted: true } } },
  { toJSON: 1 },
];
export const hostileValue = fc.oneof(
  fc.constantFrom(...HOSTILE_VALUES),
  fc.jsonValue({ maxDepth: 2, stringUnit: 'binary' }) as fc.Arbitrary<unknown>,
  fc.double().filter(Number.isFinite),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
);

/** Names that an object may inherit, and others that no operation knows. */
export const hostileName = fc.constantFrom(
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '$where',
  'a.b',
  'a[$ne]',
  '',
  'id',
  'ID',
  'workspaceID',
  'meta',
  'caller',
  'x'.repeat(500),
  '\u0000',
  'ключ',
);

/** Texts that are no JSON document, or one that parsers disagree about. */
export const brokenJson = fc.constantFrom(
  '',
  ' ',
  '{',
  '{"a":}',
  '{"a":1,"a":2}',
  '{"__proto__":{"admin":true}}',
  '[1,2',
  'null',
  'true',
  '1',
  '"text"',
  '[]',
  '{"a":1e400}',
  '{"a":-1e400}',
  '{"id":1.0000000000000001}',
  '{"id":01}',
  '{"a":"\\ud800"}',
  '{"a":"\\u0000"}',
  '\ufeff{"a":1}',
  '{"a":"\u0001"}',
  `${'['.repeat(200)}${']'.repeat(200)}`,
  `${'{"a":'.repeat(100)}1${'}'.repeat(100)}`,
  `{${Array.from({ length: 2_000 }, (_, at) => `"k${at}":${at}`).join(',')}}`,
  `{"a":"${'x'.repeat(300_000)}"}`,
  'NaN',
  "{'a':1}",
  '{"a":1}{"b":2}',
  '{"a":1}//',
);

/** Headers that a gateway reads, with values that no good client sends. */
export const hostileHeaders: fc.Arbitrary<Record<string, string>> = fc.oneof(
  fc
    .constantFrom(
      'text/plain',
      'application/xml',
      'application/json; charset=latin1',
      'application/json;charset=utf-8',
      'APPLICATION/JSON',
      'application/json, text/plain',
      'multipart/form-data',
      'multipart/form-data; boundary=',
      'multipart/form-data; boundary=x',
      'application/x-www-form-urlencoded',
      'application/yaml',
      '/',
      'x'.repeat(300),
    )
    .map((type) => ({ 'content-type': type })),
  fc.constantFrom('gzip', 'br', 'deflate', 'identity', 'zip', 'gzip, gzip').map((encoding) => ({
    'content-encoding': encoding,
  })),
  fc
    .constantFrom('', 'Bearer', 'Bearer x', 'Bearer x.y.z', 'Basic eA==', 'Digest a', 'Bearer \t')
    .map((authorization) => ({ authorization })),
  fc
    .constantFrom('wsk_x', 'x'.repeat(2_000), ' ', '__proto__')
    .map((key) => ({ 'x-api-key': key })),
  fc.constantFrom('', '*', '"x"', 'W/"x"', '"', '"a", "b"', 'x'.repeat(2_000)).map((tag) => ({
    'if-match': tag,
    'if-none-match': tag,
  })),
  fc.constantFrom('', ' ', 'k', 'x'.repeat(255), 'x'.repeat(256), 'a b').map((key) => ({
    'idempotency-key': key,
  })),
  fc
    .constantFrom('text/event-stream', '*/*', 'x', 'text/event-stream;q=0', ',,,', 'a/b;q=9')
    .map((accept) => ({ accept })),
  fc
    .constantFrom('bytes=0-0', 'bytes=9-1', 'bytes=-1', 'bytes=x', 'items=0-1', 'bytes=0-,1-')
    .map((range) => ({ range })),
  fc.constantFrom('id', 'x'.repeat(500), ' ', '<b>', 'a;b').map((id) => ({ 'x-request-id': id })),
  fc.constantFrom('127.0.0.1', 'x', '::1, 10.0.0.1', ',').map((address) => ({
    'x-forwarded-for': address,
    forwarded: `for=${address}`,
  })),
  fc.constantFrom('https://evil.example', 'null', 'x').map((origin) => ({ origin })),
  fc.constantFrom('1', '-1', 'x', '999999').map((id) => ({ 'last-event-id': id })),
  fc.constantFrom('2025-06-18', 'x', '1999-01-01').map((version) => ({
    'mcp-protocol-version': version,
  })),
);

/** Queries behind the parameters of a request. */
export const hostileQuery = fc.constantFrom(
  'x=1',
  '__proto__=1',
  'constructor[prototype][a]=1',
  'a[$ne]=1',
  'limit=1&limit=2',
  'limit=',
  'limit=1e3',
  'limit=%31',
  'limit=-1',
  'limit=99999999999999999999',
  'after=x',
  'after=..%2F',
  'after=%00',
  'after=AAAA',
  'page=9999',
  '%ZZ=1',
  'x=%C3',
  '=',
  '&&&',
  `q=${'x'.repeat(3_000)}`,
  'q=%20',
  'q=(((((',
  'workspaceId=1&workspaceId=2',
  'workspaceId=1e1',
  'api_key=x',
  Array.from({ length: 150 }, (_, at) => `p${at}=1`).join('&'),
);

/** Segments in place of an id or a name, as they stand in the path. */
export const hostileSegment = fc.oneof(
  fc.constantFrom(
    '0',
    '-1',
    '01',
    '1.0',
    '1e3',
    '9007199254740991',
    '9007199254740992',
    '99999999999999999999',
    'NaN',
    'null',
    '__proto__',
    'constructor',
    '%00',
    '%ZZ',
    '%C3',
    '%2e%2e',
    '..%2f..%2f',
    '%20',
    '%F0%9F%98%80',
    'x'.repeat(300),
    ':id',
    '{id}',
    '1;a=b',
    "1'",
  ),
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
    .map((text) => encodeURIComponent(text.toWellFormed())),
);
