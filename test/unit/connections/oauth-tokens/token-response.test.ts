import fc, { property, record, string, uint8Array } from 'fast-check';
import { readTokenResponse } from '../../../../services/connections/oauth-tokens/token-response.ts';

const read = (body: unknown, status = 200) =>
  readTokenResponse({
    status,
    body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  });
const GOOD = { access_token: 'abc.DEF-1~+/=', token_type: 'Bearer', expires_in: 3600 };

test('reads an access token and its lifetime', () => {
  expect(read(GOOD)).toEqual({ kind: 'token', value: GOOD.access_token, lifetimeMs: 3_600_000 });
});

test.each([
  ['the type in other letters', { token_type: 'bEARER' }, 3_600_000],
  ['a lifetime as text', { expires_in: '90' }, 90_000],
  ['no lifetime', { expires_in: undefined }, 300_000],
  ['a lifetime that is null', { expires_in: null }, 300_000],
  ['a lifetime of years', { expires_in: 315_360_000 }, 86_400_000],
  ['other members', { scope: 'a b', id_token: 'x', __proto__: null }, 3_600_000],
])('takes %s', (_, change, lifetimeMs) => {
  expect(read({ ...GOOD, ...change })).toMatchObject({ kind: 'token', lifetimeMs });
});

test('takes a token from 8 characters to 8 KiB, and none that is shorter or longer', () => {
  expect(read({ ...GOOD, access_token: 'a'.repeat(8) })).toMatchObject({ kind: 'token' });
  expect(read({ ...GOOD, access_token: 'a'.repeat(7) })).toMatchObject({ kind: 'unavailable' });
  expect(read({ ...GOOD, access_token: 'a'.repeat(8192) })).toMatchObject({ kind: 'token' });
  expect(read({ ...GOOD, access_token: 'a'.repeat(8193) })).toMatchObject({ kind: 'unavailable' });
});

test.each([
  ['no JSON', 'CANARY'],
  ['no UTF-8', Buffer.from([0x22, 0xff, 0x22]).toString('latin1')],
  ['null', 'null'],
  ['a list', '["CANARY"]'],
  ['a text', '"CANARY"'],
  ['a deep text', `${'['.repeat(30_000)}${']'.repeat(30_000)}`],
  ['no token', { token_type: 'Bearer', CANARY: 1 }],
  ['a token in the prototype', '{"__proto__":{"access_token":"CANARY","token_type":"Bearer"}}'],
  ['an empty token', { ...GOOD, access_token: '' }],
  ['a token with a line break', { ...GOOD, access_token: 'CANARY\r\nx-admin: 1' }],
  ['a token with a line break at its end', { ...GOOD, access_token: 'CANARY\n' }],
  ['a token with a space', { ...GOOD, access_token: 'CANARY 1' }],
  ['a token with a letter beyond ASCII', { ...GOOD, access_token: 'CANARYä' }],
  ['a token that is a number', { ...GOOD, access_token: 1 }],
  ['a token that is an object', { ...GOOD, access_token: { toString: 'CANARY' } }],
  ['another type', { ...GOOD, token_type: 'CANARY' }],
  ['no type', { ...GOOD, token_type: undefined }],
  ['a list of types', { ...GOOD, token_type: ['Bearer'] }],
  ['a negative lifetime', { ...GOOD, expires_in: -1 }],
  ['a lifetime of 0', { ...GOOD, expires_in: 0 }],
  ['a lifetime of 0 as text', { ...GOOD, expires_in: '000' }],
  ['a huge lifetime', '{"access_token":"CANARY","token_type":"Bearer","expires_in":1e999}'],
  ['a huge integer', { ...GOOD, expires_in: 1e21 }],
  ['a part of a second', { ...GOOD, expires_in: 0.5 }],
  ['a lifetime in words', { ...GOOD, expires_in: 'CANARY' }],
  ['a lifetime in hexadecimal', { ...GOOD, expires_in: '0x10' }],
  ['a lifetime that is true', { ...GOOD, expires_in: true }],
])('takes no token of %s, and shows nothing of it', (_, body) => {
  const answer = read(body);
  expect(answer.kind).toBe('unavailable');
  expect(JSON.stringify(answer)).not.toContain('CANARY');
});

test.each([301, 302, 307, 404, 405, 408, 415, 429, 500, 503])(
  'the status %i without an error code is no answer to the client',
  (status) => {
    const detail = `The token endpoint answered with status ${status}.`;
    expect(read(GOOD, status)).toEqual({ kind: 'unavailable', detail });
  },
);

test.each([
  [400, { error: 'invalid_scope' }, 'invalid_scope'],
  [401, { error: 'invalid_client', error_description: 'CANARY' }, 'invalid_client'],
  [403, { error: 'unauthorized_client' }, 'unauthorized_client'],
  [200, { error: 'invalid_client', access_token: 'CANARY' }, 'invalid_client'],
  [404, { error: 'invalid_grant' }, 'invalid_grant'],
  [400, { error: 'CANARY' }, null],
  [401, 'CANARY', null],
  [401, { error: ['invalid_client'] }, null],
  [403, '', null],
])('the status %i with %j is the refusal %s', (status, body, error) => {
  const answer = read(body, status);
  expect(answer).toMatchObject({ kind: 'refused', error });
  expect(JSON.stringify(answer)).not.toContain('CANARY');
});

test('an error code with a status from 500 is no refusal', () => {
  expect(read({ error: 'invalid_client' }, 500).kind).toBe('unavailable');
});

const SENTENCE = new RegExp(
  `^The token endpoint (${[
    'answered with status [0-9]{3}',
    'answered without an access token',
    'answered with an access token that is too short, too long or not visible ASCII',
    'answered with a token whose type is not "Bearer"',
    'answered with an "expires_in" that is no lifetime',
    'did not answer with a JSON object',
    'refused the client of the credential with (status [0-9]{3}|"invalid_client")',
  ].join('|')})[.]$`,
);
const statuses = fc.integer({ min: 200, max: 599 });

test('no answer that is all bytes throws or comes back in a detail', () => {
  const isSafe = property(statuses, uint8Array({ maxLength: 200 }), (status, body) => {
    const answer = readTokenResponse({ status, body });
    expect(answer.kind).not.toBe('token');
    if (answer.kind !== 'token') expect(answer.detail).toMatch(SENTENCE);
  });
  fc.assert(isSafe, { numRuns: 2_000 });
});

const anything = fc.anything({
  key: fc.oneof(string(), fc.constantFrom('access_token', '__proto__', 'constructor', 'toJSON')),
  values: [fc.jsonValue(), string({ unit: 'binary' }), fc.double(), fc.boolean()],
});
const hostileAnswers = record(
  {
    access_token: fc.oneof(
      anything,
      string({ unit: 'binary' }),
      fc.constantFrom('a-good-token', 'a\nb-and-more'),
    ),
    token_type: fc.oneof(fc.constantFrom('Bearer', 'bearer', 'mac'), anything),
    expires_in: fc.oneof(fc.double(), fc.integer(), fc.string(), anything),
    error: fc.oneof(fc.constantFrom(undefined, 'invalid_client'), anything),
  },
  { requiredKeys: [] },
);

test('a token of a hostile answer can be sent in a header, and lives for a day at most', () => {
  let tokens = 0;
  const isSafe = property(statuses, hostileAnswers, (status, value) => {
    let text: string | undefined;
    try {
      text = JSON.stringify(value);
    } catch {
      return; // a value that JSON cannot express
    }
    const answer = read(text ?? 'null', status);
    if (answer.kind === 'token') {
      tokens++;
      expect(() => new Headers({ authorization: `Bearer ${answer.value}` })).not.toThrow();
      expect(answer.value).toMatch(/^[\x21-\x7e]+$/);
      expect(answer.lifetimeMs).toBeGreaterThan(0);
      expect(answer.lifetimeMs).toBeLessThanOrEqual(86_400_000);
    } else {
      expect(answer.detail).toMatch(SENTENCE);
    }
  });
  fc.assert(isSafe, { numRuns: 3_000, seed: 7 });
  expect(tokens).toBeGreaterThan(5);
});
