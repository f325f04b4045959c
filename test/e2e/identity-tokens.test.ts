import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
} from 'node:crypto';
import { e2e } from '../fixtures/e2e.ts';
import { request } from '../helpers/http.ts';
import { startServer } from '../helpers/server.ts';

const newJwk = (kid: string): Record<string, string> => ({
  ...(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
    format: 'jwk',
  }) as Record<string, string>),
  kid,
});
const first = newJwk('first');
const second = newJwk('second');
const stranger = newJwk('first');

const {
  server,
  owner: person,
  accounts: { statusOf },
} = e2e({
  env: {
    JWT_PRIVATE_KEYS: JSON.stringify({ keys: [first, second] }),
    PUBLIC_URL: 'https://flows.example/',
  },
});

let header: Record<string, unknown>;
let claims: Record<string, unknown>;

beforeAll(async () => {
  const [head = '', body = ''] = person.token.split('.');
  header = JSON.parse(Buffer.from(head, 'base64url').toString());
  claims = JSON.parse(Buffer.from(body, 'base64url').toString());
});

type Signer = (input: string) => Buffer;
const es256 =
  (jwk: Record<string, string>): Signer =>
  (input) =>
    sign('sha256', Buffer.from(input), {
      key: createPrivateKey({ key: jwk, format: 'jwk' }),
      dsaEncoding: 'ieee-p1363',
    });
const hs256 =
  (secret: string): Signer =>
  (input) =>
    createHmac('sha256', secret).update(input).digest();
const nothing: Signer = () => Buffer.alloc(0);

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
/** Makes a token like the service's tokens, with the given differences. */
function forge(changes: { header?: object; claims?: object; signer?: Signer }): string {
  const input = `${encode({ ...header, ...changes.header })}.${encode({ ...claims, ...changes.claims })}`;
  return `${input}.${(changes.signer ?? es256(first))(input).toString('base64url')}`;
}
const publicPem = createPublicKey(createPrivateKey({ key: first, format: 'jwk' }))
  .export({ type: 'spki', format: 'pem' })
  .toString();

it('an access token says who, for whom and how long', () => {
  expect(header).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: 'first' });
  expect(claims).toEqual({
    iss: 'https://flows.example',
    aud: 'https://flows.example',
    sub: `user:${person.id}`,
    sid: expect.any(String),
    iat: expect.any(Number),
    auth_time: expect.any(Number),
    exp: Number(claims.iat) + 900,
  });
});

it('the public keys are shown, and nothing that signs', async () => {
  const { status, body } = await request(server.url, 'GET', '/.well-known/jwks.json');
  expect(status).toBe(200);
  expect(body).toEqual({
    keys: [first, second].map(({ x, y, kid }) => ({
      kty: 'EC',
      crv: 'P-256',
      x,
      y,
      kid,
      use: 'sig',
      alg: 'ES256',
    })),
  });
});

it('every configured key verifies, so that keys can be changed in turn', async () => {
  expect(await statusOf(forge({}))).toBe(200);
  expect(await statusOf(forge({ header: { kid: 'second' }, signer: es256(second) }))).toBe(200);
});

const PAST = Math.floor(Date.now() / 1000) - 10;
it.each<[string, Parameters<typeof forge>[0]]>([
  ['without algorithm', { header: { alg: 'none' }, signer: nothing }],
  ['with an empty signature', { signer: nothing }],
  ['HS256 over the public key', { header: { alg: 'HS256' }, signer: hs256(publicPem) }],
  ['HS256 over the public JWK', { header: { alg: 'HS256' }, signer: hs256(JSON.stringify(first)) }],
  ['signed by another key under our kid', { signer: es256(stranger) }],
  ['signed by our second key under the first kid', { signer: es256(second) }],
  ['of an unknown kid', { header: { kid: 'third' }, signer: es256(stranger) }],
  ['that brings its own key', { header: { kid: 'third', jwk: stranger }, signer: es256(stranger) }],
  ['without kid', { header: { kid: undefined } }],
  ['of type JWT', { header: { typ: 'JWT' } }],
  ['without type', { header: { typ: undefined } }],
  ['that has expired', { claims: { iat: PAST - 900, exp: PAST } }],
  ['without an end', { claims: { exp: undefined } }],
  ['not yet valid', { claims: { nbf: PAST + 1000 } }],
  ['of another issuer', { claims: { iss: 'https://evil.example' } }],
  ['for another audience', { claims: { aud: 'https://evil.example' } }],
  ['without subject', { claims: { sub: undefined } }],
  ['of another kind of subject', { claims: { sub: 'service-account:1' } }],
  ['of an odd subject', { claims: { sub: 'user:1e3' } }],
  ['without session', { claims: { sid: undefined } }],
  ['of an unknown session', { claims: { sid: 'unknown' } }],
  ['whose session is an operator', { claims: { sid: { $ne: null } } }],
  ['of another user with this session', { claims: { sub: 'user:999999' } }],
])('a token %s is refused', async (_what, changes) => {
  const answer = await request(server.url, 'GET', '/auth/me', { token: forge(changes) });
  expect(answer.status).toBe(401);
  expect(answer.headers['www-authenticate']).toBe('Bearer');
});

it('a token with one character changed is refused', async () => {
  const [head = '', body = '', signature = ''] = person.token.split('.');
  const other = (text: string) => (text[9] === 'A' ? 'B' : 'A');
  const tampered = (text: string) => text.slice(0, 9) + other(text) + text.slice(10);
  expect(await statusOf([tampered(head), body, signature].join('.'))).toBe(401);
  expect(await statusOf([head, tampered(body), signature].join('.'))).toBe(401);
  expect(await statusOf([head, body, tampered(signature)].join('.'))).toBe(401);
  expect(await statusOf(person.token)).toBe(200);
});

it.each(['Basic YTpi', 'Bearer', 'Bearer a b', 'bearer nonsense', 'Bearer ..', 'Token x'])(
  'the header %p is no token',
  async (authorization) => {
    const answer = await request(server.url, 'GET', '/auth/me', { headers: { authorization } });
    expect(answer.status).toBe(401);
  },
);

it('a bad JWT_PRIVATE_KEYS ends the start with one line that does not show it', async () => {
  const message = await startServer({ env: { JWT_PRIVATE_KEYS: 'hunter2-is-no-key' } }).then(
    () => 'it started',
    (error: Error) => error.message,
  );
  expect(message).toMatch(/ended with 1:\nJWT_PRIVATE_KEYS: the value given [^\n]+\n$/);
  expect(message).not.toContain('hunter2');
});
