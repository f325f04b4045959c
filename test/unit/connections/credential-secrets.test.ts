import { Problem } from '../../../contract/problem.ts';
import { installZodMessages } from '../../../contract/zod-messages.ts';
import type { AuthType } from '../../../models/auth-credential.model.ts';
import {
  isSameSecret,
  parseSecret,
} from '../../../services/connections/auth-credentials/secret/sealed-secret.ts';
import type { GivenSecret } from '../../../services/connections/auth-credentials/secret/secret.ts';

installZodMessages();

const TOKEN = 'sha-la-la-la';
const BASIC = { username: 'ada', password: 'eleven quiet harbours' };
const API_KEY = { name: 'X-Api-Key', in: 'header', value: TOKEN };
const OAUTH = {
  tokenUrl: 'https://id.example.com/token',
  clientId: 'ada',
  clientSecret: 'eleven quiet harbours',
};

/** The fields that a refusal names, and its text. */
function refusalOf(authType: AuthType, secret?: GivenSecret): { paths: string[]; text: string } {
  try {
    parseSecret(authType, secret);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { errors = [] } = error.data;
    return { paths: errors.map(({ path }) => path), text: JSON.stringify([error.message, errors]) };
  }
  return { paths: [], text: '' };
}

describe('the secret of a credential', () => {
  it.each<[AuthType, GivenSecret | undefined]>([
    ['NONE', undefined],
    ['BASIC', BASIC],
    ['BASIC', { username: '', password: 'päßwörd-😀' }],
    ['BASIC', { ...BASIC, password: 'x'.repeat(4096) }],
    ['BEARER', { token: TOKEN }],
    ['API_KEY', API_KEY],
    ['API_KEY', { ...API_KEY, name: 'Authorization', value: 'Token abcdefgh' }],
    ['API_KEY', { name: 'schlüssel', in: 'query', value: 'päßwörd-😀' }],
    ['OAUTH2_CLIENT_CREDENTIALS', OAUTH],
    ['OAUTH2_CLIENT_CREDENTIALS', { ...OAUTH, scopes: ['orders:read', 'a/b'] }],
    ['OAUTH2_CLIENT_CREDENTIALS', { ...OAUTH, scopes: 'orders:read a/b' }],
  ])('of the type %s may be %j', (authType, secret) => {
    expect(refusalOf(authType, secret).paths).toEqual([]);
  });

  it.each<[AuthType, GivenSecret | undefined, string[]]>([
    ['NONE', { token: TOKEN }, ['secret']],
    ['NONE', {}, ['secret']],
    ['BASIC', undefined, ['secret']],
    ['BASIC', { token: TOKEN }, ['secret.username', 'secret.password', 'secret.token']],
    ['BASIC', { ...BASIC, username: 'ada:x' }, ['secret.username']],
    ['BASIC', { ...BASIC, username: 'ada\u0000' }, ['secret.username']],
    ['BASIC', { ...BASIC, password: 'seven77' }, ['secret.password']],
    ['BASIC', { ...BASIC, password: 'x'.repeat(4097) }, ['secret.password']],
    ['BASIC', { ...BASIC, password: 'é'.repeat(2049) }, ['secret.password']],
    ['BASIC', { ...BASIC, password: 'eleven\r\nharbours' }, ['secret.password']],
    ['BASIC', { ...BASIC, password: 'eleven \ud800 harbours' }, ['secret.password']],
    ['BASIC', { ...BASIC, password: null }, ['secret.password']],
    ['BASIC', { ...BASIC, password: '********' }, ['secret.password']],
    ['BEARER', {}, ['secret.token']],
    ['BEARER', { token: 'with a space' }, ['secret.token']],
    ['BEARER', { token: 'breaks\r\nX-Evil: 1' }, ['secret.token']],
    ['BEARER', { token: 12345678 }, ['secret.token']],
    ['BEARER', { token: TOKEN, authType: 'BEARER' }, ['secret.authType']],
    ['API_KEY', { ...API_KEY, in: 'cookie' }, ['secret.in']],
    ['API_KEY', { ...API_KEY, name: '' }, ['secret.name']],
    ['API_KEY', { ...API_KEY, name: 'X Key' }, ['secret.name']],
    ['API_KEY', { ...API_KEY, name: 'X-Key\r\n' }, ['secret.name']],
    ['API_KEY', { ...API_KEY, name: 'Host' }, ['secret.name']],
    ['API_KEY', { ...API_KEY, name: 'Content-Type' }, ['secret.name']],
    ['API_KEY', { ...API_KEY, name: 'ACCEPT' }, ['secret.name']],
    ['API_KEY', { ...API_KEY, name: 'Cookie' }, ['secret.name']],
    ['API_KEY', { ...API_KEY, name: '__proto__' }, ['secret.name']],
    ['API_KEY', { ...API_KEY, name: 'Idempotency-Key' }, ['secret.name']],
    ['API_KEY', { ...API_KEY, name: 'traceparent' }, ['secret.name']],
    ['API_KEY', { ...API_KEY, value: 'päßwörter' }, ['secret.value']],
    ['API_KEY', { ...API_KEY, value: ' abcdefgh' }, ['secret.value']],
    ['API_KEY', { ...API_KEY, value: 'breaks\nhere' }, ['secret.value']],
    ['OAUTH2_CLIENT_CREDENTIALS', { ...OAUTH, tokenUrl: '/token' }, ['secret.tokenUrl']],
    ['OAUTH2_CLIENT_CREDENTIALS', { ...OAUTH, tokenUrl: 'ftp://id.example' }, ['secret.tokenUrl']],
    [
      'OAUTH2_CLIENT_CREDENTIALS',
      { ...OAUTH, tokenUrl: 'https://a:b@id.example' },
      ['secret.tokenUrl'],
    ],
    [
      'OAUTH2_CLIENT_CREDENTIALS',
      { ...OAUTH, tokenUrl: 'https://id.example/#x' },
      ['secret.tokenUrl'],
    ],
    ['OAUTH2_CLIENT_CREDENTIALS', { ...OAUTH, clientId: '' }, ['secret.clientId']],
    ['OAUTH2_CLIENT_CREDENTIALS', { ...OAUTH, clientSecret: 'short' }, ['secret.clientSecret']],
    ['OAUTH2_CLIENT_CREDENTIALS', { ...OAUTH, scopes: ['a b'] }, ['secret.scopes']],
    ['OAUTH2_CLIENT_CREDENTIALS', { ...OAUTH, scopes: ['"'] }, ['secret.scopes']],
    ['OAUTH2_CLIENT_CREDENTIALS', { ...OAUTH, scopes: [1] }, ['secret.scopes']],
  ])('of the type %s is refused as %j by %j', (authType, secret, paths) => {
    const refusal = refusalOf(authType, secret);
    expect(refusal.paths.toSorted()).toEqual(paths.toSorted());
  });

  it('stands in no refusal', () => {
    const canary = 'canary-4711\r\n';
    const secrets: [AuthType, GivenSecret][] = [
      ['BASIC', { username: 'ada', password: canary }],
      ['BEARER', { token: canary }],
      ['API_KEY', { ...API_KEY, value: canary }],
      ['OAUTH2_CLIENT_CREDENTIALS', { ...OAUTH, clientSecret: canary }],
      ['NONE', { token: canary }],
    ];
    for (const [authType, secret] of secrets) {
      const { text } = refusalOf(authType, secret);
      expect([authType, text === '', text.includes('canary')]).toEqual([authType, false, false]);
    }
  });

  it('is the same when all of its parts are', () => {
    const stored = parseSecret('BASIC', BASIC);
    expect(isSameSecret(stored, parseSecret('BASIC', { ...BASIC }))).toBe(true);
    expect(isSameSecret(stored, parseSecret('BASIC', { ...BASIC, username: 'bda' }))).toBe(false);
    const { username, password } = BASIC;
    expect(isSameSecret(stored, parseSecret('BASIC', { password, username }))).toBe(true);
  });
});
