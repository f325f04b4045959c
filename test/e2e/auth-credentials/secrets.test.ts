import { made } from '../../fixtures/e2e.ts';
import type { ProblemBody } from '../../helpers/http.ts';
import { faults } from '../../helpers/http.ts';
import { waitFor } from '../../helpers/wait.ts';
import { makeTeam } from './team.ts';

const team = made(makeTeam);

const ORIGIN = 'https://api.example.com';
const CANARY = 'canary-of-eleven-harbours';
const KINDS: [string, Record<string, unknown>][] = [
  ['BASIC', { username: 'ada', password: CANARY }],
  ['BEARER', { token: CANARY }],
  ['API_KEY', { name: 'X-Key', in: 'header', value: CANARY }],
  [
    'OAUTH2_CLIENT_CREDENTIALS',
    { tokenUrl: `${ORIGIN}/token`, clientId: 'ada', clientSecret: CANARY, scopes: ['a', 'b'] },
  ],
];
const basic = {
  name: 'Orders',
  authType: 'BASIC',
  allowedOrigins: [ORIGIN],
  secret: KINDS[0]?.[1],
};
const oauth = {
  name: 'Orders',
  authType: 'OAUTH2_CLIENT_CREDENTIALS',
  allowedOrigins: [ORIGIN],
  secret: KINDS[3]?.[1],
};

describe('a secret', () => {
  it.each(KINDS)('of the type %s stands in no answer', async (authType, secret) => {
    const made = await team.create({ ...basic, authType, secret });
    expect([made.status, made.body.authType]).toEqual([201, authType]);
    const authCredentialId = made.body.id;
    const changed = await team.update({ authCredentialId, name: 'Other', secret });
    expect([changed.status, changed.body.name]).toEqual([200, 'Other']);
    const read = await team.get(authCredentialId);
    const texts = [made.text, changed.text, read.text, JSON.stringify(await team.list())];
    expect(texts.filter((text) => text.includes(CANARY))).toEqual([]);
    expect(Object.keys(read.body)).not.toContain('secret');
  });

  it('is a change only when it differs, and the audit log names it without its value', async () => {
    const { body: made } = await team.create(basic);
    const authCredentialId = made.id;
    const same = await team.update({ authCredentialId, secret: basic.secret });
    expect([same.status, same.body]).toEqual([200, made]);
    const secret = { username: 'ada', password: 'another-secret' };
    const changed = await team.update({ authCredentialId, secret });
    expect(changed.body.updatedAt > made.updatedAt).toBe(true);
    const path = `/workspaces/${team.workspaceId}/audit-log`;
    const query = { resourceType: 'auth-credential', resourceId: `${made.id}` };
    await waitFor('the audit entries', async () => {
      const log = await team.owner.call<{ changed: string[] }[]>('GET', path, { query });
      if (log.body.length < 2) return false;
      expect(log.body.map((entry) => entry.changed)).toEqual([['secret'], expect.any(Array)]);
      expect(log.text).not.toMatch(/another-secret|canary|sealed/);
      return true;
    });
  });

  it.each([
    [{ secret: undefined }, ['secret']],
    [{ secret: null }, ['secret']],
    [{ secret: 'text' }, ['secret']],
    [{ secret: { token: CANARY } }, ['secret.username', 'secret.password', 'secret.token']],
    [{ secret: { username: 'ada', password: 'short' } }, ['secret.password']],
    [{ authType: 'BEARER', secret: { token: `${CANARY}\r\nX: y` } }, ['secret.token']],
    [{ authType: 'NONE' }, ['secret']],
    [{ authType: 'DIGEST' }, ['authType']],
    [{ allowedOrigins: [] }, ['allowedOrigins']],
    [{ allowedOrigins: undefined }, ['allowedOrigins']],
    [{ ...oauth, allowedOrigins: ['https://other.example.com'] }, ['secret.tokenUrl']],
  ])('is refused with %j', async (fields, paths) => {
    const { status, body, text } = await team.create({ ...basic, ...fields });
    expect([status, faults(body).toSorted()]).toEqual([400, paths.toSorted()]);
    expect(text).not.toContain(CANARY);
  });

  it('of OAuth keeps its token URL among the allowed origins', async () => {
    const { body } = await team.create(oauth);
    const authCredentialId = body.id;
    const allowedOrigins = ['https://other.example.com'];
    const narrowed = await team.update({ authCredentialId, allowedOrigins });
    expect([narrowed.status, faults(narrowed.body)]).toEqual([400, ['allowedOrigins']]);
    const secret = { ...oauth.secret, tokenUrl: `${allowedOrigins[0]}/token` };
    const moved = await team.update({ authCredentialId, secret });
    expect([moved.status, faults(moved.body)]).toEqual([400, ['secret.tokenUrl']]);
    const both = await team.update({ authCredentialId, allowedOrigins, secret });
    expect([both.status, both.body.allowedOrigins]).toEqual([200, allowedOrigins]);
  });

  it('needs an origin that it may be sent to', async () => {
    const { body } = await team.create(basic);
    const none = await team.update({ authCredentialId: body.id, allowedOrigins: [] });
    expect([none.status, faults(none.body)]).toEqual([400, ['allowedOrigins']]);
  });
});

describe('a credential in use', () => {
  it('is not deleted: the refusal names the configuration store', async () => {
    const { body } = await team.create(basic);
    const { owner, workspaceId } = team;
    const content = 'do: [{ first: { set: { a: 1 } } }]';
    const flow = await owner.call<{ id: number }>('POST', '/flows', {
      body: { workspaceId, name: 'Sync', content },
    });
    const pair = {
      flowId: flow.body.id,
      sourceAuthCredentialId: body.id,
      destinationAuthCredentialId: body.id,
    };
    const store = await owner.call<{ id: number }>('POST', '/configurations', {
      body: { workspaceId, name: 'Europe', flowCredentialPairs: [pair], properties: [] },
    });
    expect(store.status).toBe(201);
    const path = `/auth-credentials/${body.id}`;
    const refused = await owner.call<ProblemBody & { usedBy: object[] }>('DELETE', path);
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({
      code: 'CREDENTIAL_IN_USE',
      detail: `The auth credential is used by configuration store ${store.body.id} (Europe).`,
      usedBy: [{ type: 'configuration-store', id: store.body.id, name: 'Europe' }],
      more: 0,
    });
    expect((await team.get(body.id)).body).toEqual(body);
  });
});
