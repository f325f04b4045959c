import { e2e } from '../../fixtures/e2e.ts';
import { Workspace } from '../../fixtures/workspace.ts';
import { type ProblemBody, type RequestOptions, request } from '../../helpers/http.ts';

const { server, owner, workspace } = e2e();

describe('raising an issue from outside', () => {
  const external = (options: RequestOptions, id = workspace.id) =>
    request<{ title: string } & ProblemBody>(
      server.url,
      'POST',
      `/workspaces/${id}/issues/external`,
      {
        body: { title: 'From outside', description: '' },
        ...options,
      },
    );
  const newKey = async (scope: string, within = workspace): Promise<string> =>
    (await within.key(scope)).key;

  it('takes a token or a key, in the header or the query', async () => {
    const key = await newKey('issues:create');
    for (const options of [
      { token: owner.token },
      { headers: { 'x-api-key': key } },
      { query: { api_key: key } },
      { headers: { 'x-api-key': key }, query: { api_key: key } },
    ]) {
      const { status, body, headers } = await external(options);
      expect([status, body.title]).toEqual([201, 'From outside']);
      expect((await owner.call('GET', String(headers.location))).body).toEqual(body);
    }
  });

  it('is 401 without either, with a bad key, even beside a good token, or with two keys', async () => {
    const key = await newKey('issues:create');
    for (const options of [
      {},
      { token: 'nonsense' },
      { headers: { 'x-api-key': 'nonsense' } },
      { headers: { 'x-api-key': 'nonsense' }, token: owner.token },
      { headers: { 'x-api-key': key }, query: { api_key: `${key}x` } },
    ]) {
      expect((await external(options)).status).toBe(401);
    }
  });

  it('names the token and the key without either', async () => {
    const detail =
      'A valid token or API key is needed: Authorization: Bearer <token>, or X-API-KEY: <key>, or the query parameter api_key.';
    expect((await external({})).body).toMatchObject({ detail });
  });

  it('is 403 without the scope and 404 for the key of another workspace', async () => {
    const scopeless = await newKey('flows:read');
    expect((await external({ headers: { 'x-api-key': scopeless } })).status).toBe(403);
    const elsewhere = await newKey(
      'issues:create',
      await new Workspace(owner, () => server.url).create(),
    );
    const { status, body } = await external({ headers: { 'x-api-key': elsewhere } });
    expect([status, body.detail]).toEqual([404, `There is no workspace ${workspace.id}.`]);
  });

  it('opens nothing else', async () => {
    const key = await newKey('issues:create');
    for (const method of ['GET', 'POST'] as const) {
      const { status } = await request(server.url, method, workspace.issues, {
        headers: { 'x-api-key': key },
        ...(method === 'POST' ? { body: { title: 'x', description: '' } } : {}),
      });
      expect(status).toBe(401);
    }
  });
});
