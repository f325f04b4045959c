import fc from 'fast-check';
import { Problem } from '../../../contract/problem.ts';
import { parseQuery } from '../../../mixins/gateway/routing/query.ts';
import {
  credentialsOf,
  readBasic,
} from '../../../services/identity/service-accounts/client-credentials.ts';

const encode = (text: string) => new URLSearchParams([['', text]]).toString().slice(1);
const basic = (id: string, secret: string) =>
  `Basic ${Buffer.from(`${encode(id)}:${encode(secret)}`).toString('base64')}`;
/** Any text that is not empty; form encoding replaces lone surrogates. */
const text = fc.string({ unit: 'grapheme', minLength: 1 }).filter((value) => value.isWellFormed());

test('what a client encodes for HTTP Basic is read back, colons and plus signs included', () => {
  fc.assert(
    fc.property(text, text, (clientId, clientSecret) => {
      expect(readBasic(basic(clientId, clientSecret))).toEqual({ clientId, clientSecret });
    }),
  );
});

test('any other header is null, never an error', () => {
  const bytes = fc.uint8Array().map((value) => `Basic ${Buffer.from(value).toString('base64')}`);
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        bytes,
        fc.string().map((rest) => `Basic ${rest}`),
      ),
      (header) => {
        const read = readBasic(header);
        if (read === null) return;
        expect(read.clientId).not.toBe('');
        expect(read.clientSecret).not.toBe('');
      },
    ),
  );
});

test.each([
  '',
  'Basic',
  'Basic !',
  'Bearer abc',
  basic('a', ''),
  basic('', 'a'),
  'Basic YTpiOmM=',
  'Basic JTpi',
])('%p shows no client', (header) => expect(readBasic(header)).toBeNull());

test('a form is read as a client has encoded it', () => {
  const name = fc.string({ minLength: 1 }).filter((value) => !value.includes('\0'));
  const value = text.filter((one) => !one.includes('\0'));
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(name, value), { selector: ([key]) => key, maxLength: 50 }),
      (pairs) => {
        const { values, faults } = parseQuery(new URLSearchParams(pairs).toString());
        expect([Object.entries(values).sort(), faults]).toEqual([
          pairs.map((pair) => [...pair]).sort(),
          [],
        ]);
      },
    ),
  );
});

const refusalOf = (request: Parameters<typeof credentialsOf>[0]): string => {
  try {
    credentialsOf(request);
    return 'none';
  } catch (error) {
    if (error instanceof Problem) return error.type;
    throw error;
  }
};

test('a client shows its secret in exactly one way', () => {
  const authorization = basic('me', 'secret');
  const body = { client_id: 'me', client_secret: 'secret' };
  expect(credentialsOf({ authorization })).toEqual({ clientId: 'me', clientSecret: 'secret' });
  expect(credentialsOf({ authorization, client_id: 'me' })).toEqual({
    clientId: 'me',
    clientSecret: 'secret',
  });
  expect(credentialsOf(body)).toEqual({ clientId: 'me', clientSecret: 'secret' });
  expect(refusalOf({ authorization, ...body })).toBe('INVALID_REQUEST');
  expect(refusalOf({ authorization, client_id: 'other' })).toBe('INVALID_REQUEST');
  expect(refusalOf({ authorization: 'Bearer x' })).toBe('INVALID_CLIENT');
  expect(refusalOf({ client_id: 'me' })).toBe('INVALID_CLIENT');
  expect(refusalOf({})).toBe('INVALID_CLIENT');
});
