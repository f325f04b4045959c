import type { AuthType } from '../../../models/auth-credential.model.ts';
import {
  openSecret,
  parseSecret,
  sealSecret,
} from '../../../services/connections/auth-credentials/secret/sealed-secret.ts';
import type { TypedSecret } from '../../../services/connections/auth-credentials/secret/secret.ts';
import { PLACE_SEALER } from '../../helpers/place-sealer.ts';

const OWNER = { _id: 1, workspaceId: 7 };
const LONG = 'x'.repeat(5_000);
const OAUTH = { tokenUrl: 'ftp://a.example', clientId: '', clientSecret: '****', scopes: ['a b'] };

const open = async (authType: AuthType, secret: object | null) => {
  const sealedSecret =
    secret &&
    (await PLACE_SEALER.sealField(
      { workspaceId: 7, id: 1, field: 'secret' },
      JSON.stringify(secret),
    ));
  return openSecret(PLACE_SEALER, { ...OWNER, authType, sealedSecret });
};

/** Secrets that the rules of requests refuse, as earlier rules may have stored them. */
const REFUSED: TypedSecret[] = [
  { authType: 'BASIC', secret: { username: 'a:b', password: '********' } },
  { authType: 'BEARER', secret: { token: '**********' } },
  { authType: 'BEARER', secret: { token: LONG } },
  { authType: 'API_KEY', secret: { name: 'Host', in: 'header', value: 'short' } },
  { authType: 'OAUTH2_CLIENT_CREDENTIALS', secret: OAUTH },
];

test.each(REFUSED)(
  'a stored secret of $authType is read that requests are refused for',
  async (typed) => {
    const { authType, secret } = typed;
    expect(() => parseSecret(authType, { ...secret })).toThrow();
    const sealedSecret = await sealSecret(PLACE_SEALER, OWNER, typed);
    expect(await openSecret(PLACE_SEALER, { ...OWNER, authType, sealedSecret })).toEqual(typed);
  },
);

test('a field that this version does not know is left out', async () => {
  expect(await open('BEARER', { token: 'a-bearer-token', later: true })).toEqual({
    authType: 'BEARER',
    secret: { token: 'a-bearer-token' },
  });
});

test('the type without a secret has none', async () => {
  expect(await open('NONE', null)).toEqual({ authType: 'NONE' });
});

test.each<[AuthType, object | null]>([
  ['BEARER', null],
  ['BEARER', { token: 1 }],
  ['BASIC', { token: 'a-bearer-token' }],
  ['API_KEY', { name: 'key', in: 'body', value: 'a-key-value' }],
  ['OAUTH2_CLIENT_CREDENTIALS', { ...OAUTH, scopes: 'a b' }],
])('a secret of %s in the shape %j is not read', async (authType, secret) => {
  await expect(open(authType, secret)).rejects.toThrow();
});
