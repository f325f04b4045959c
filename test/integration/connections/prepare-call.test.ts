import { ApiDescriptionModel } from '../../../models/api-description.model.ts';
import { AuthCredentialModel } from '../../../models/auth-credential.model.ts';
import { SequenceModel } from '../../../models/sequence.model.ts';
import { createApiDescription } from '../../../services/connections/api-descriptions/create-description.ts';
import { createAuthCredential } from '../../../services/connections/auth-credentials/create-credential.ts';
import { prepareCall } from '../../../services/connections/calls/prepare-call.ts';
import type { CredentialChoice } from '../../../services/connections/contract/internal.ts';
import { changeContext } from '../../helpers/change-context.ts';
import { useDatabase } from '../../helpers/database.ts';
import { PLACE_SEALER } from '../../helpers/place-sealer.ts';

useDatabase([AuthCredentialModel, ApiDescriptionModel, SequenceModel]);

const workspaceId = 1;
const SECRET = 'a-long-token-of-the-shop';
const noToken = () => Promise.reject(new Error('no OAuth credential is used here'));
const tools = { sealer: PLACE_SEALER, tokens: { accessTokenOf: noToken } };
const change = () =>
  changeContext({ operation: 'connections.create', audit: { none: 'the test makes it' } });
const bearerFor = (origin: string) =>
  createAuthCredential(
    {
      workspaceId,
      name: 'x',
      authType: 'BEARER',
      allowedOrigins: [origin],
      secret: { token: SECRET },
    },
    change(),
    PLACE_SEALER,
  );

async function describeOrder(): Promise<number> {
  const { id: authCredentialId } = await bearerFor('https://shop.example');
  const url = 'https://shop.example/orders/{orderId}?since={since}';
  const rest = { name: 'x', description: '', methodType: 'GET' as const, workspaceId };
  return (await createApiDescription({ url, authCredentialId, ...rest }, change())).id;
}
const VALUES = { path: { orderId: '../a/b?ü' }, query: { since: 'a&b', more: ['1', '2'] } };
const prepare = (apiDescriptionId: number, fields: object = {}) => {
  const credential: CredentialChoice = { kind: 'own' };
  return prepareCall({ workspaceId, apiDescriptionId, credential, ...VALUES, ...fields }, tools);
};
const url = 'https://shop.example/orders/..%2Fa%2Fb%3F%C3%BC?since=a%26b&more=1&more=2';

test('a call has an encoded URL and the secret of its credential', async () => {
  expect(await prepare(await describeOrder())).toMatchObject({
    ok: true,
    method: 'GET',
    url,
    secretHeaders: { authorization: `Bearer ${SECRET}` },
    secrets: expect.arrayContaining([SECRET]),
    tokenId: null,
  });
});

test('a call without a credential has no secret', async () => {
  const expected = { ok: true, url, secretHeaders: {}, credentialId: null, secrets: [] };
  const prepared = await prepare(await describeOrder(), { credential: { kind: 'none' } });
  expect(prepared).toMatchObject(expected);
});

test('a call is refused whose credential is not allowed for the origin', async () => {
  const { id } = await bearerFor('https://other.example');
  const refused = await prepare(await describeOrder(), { credential: { kind: 'id', id } });
  expect(refused).toMatchObject({ ok: false, code: 'CREDENTIAL_ORIGIN_REFUSED' });
  expect(JSON.stringify(refused)).not.toContain(SECRET);
});

test.each([
  [{ path: {} }, 'path.orderId'],
  [{ path: { orderId: '..' } }, 'path.orderId'],
  [{ path: { orderId: '1', other: '2' } }, 'path.other'],
  [{ query: {} }, 'query.since'],
  [{ query: { since: ['1', '2'] } }, 'query.since'],
])('a call with %j is refused and names %s', async (values, field) => {
  const refused = await prepare(await describeOrder(), values);
  expect(refused).toMatchObject({ ok: false, code: 'PLACEHOLDERS_INVALID', field });
});

test('descriptions and credentials of other workspaces are missing', async () => {
  const id = await describeOrder();
  const missing = { ok: false, code: 'REFERENCE_NOT_FOUND' };
  expect(await prepare(id, { workspaceId: 2 })).toMatchObject(missing);
  const unknown = { credential: { kind: 'id', id: 987_654 } };
  expect(await prepare(id, unknown)).toMatchObject(missing);
});
