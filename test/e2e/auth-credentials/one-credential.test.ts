import { made } from '../../fixtures/e2e.ts';
import { faults } from '../../helpers/http.ts';
import { createWorkspace } from '../../helpers/people.ts';
import { makeTeam, OPEN } from './team.ts';

const team = made(makeTeam);

describe('a credential', () => {
  it('is answered as it is stored, alone and in the list', async () => {
    const { status, body, headers } = await team.create({ ...OPEN, name: '  Weather ' });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(Number),
      workspaceId: team.workspaceId,
      name: 'Weather',
      authType: 'NONE',
      allowedOrigins: [],
      createdAt: expect.any(String),
      updatedAt: body.createdAt,
      lastUsedAt: null,
    });
    expect(headers.location).toContain(`/auth-credentials/${body.id}`);
    expect((await team.get(body.id)).body).toEqual(body);
    expect(await team.list()).toContainEqual(body);
  });

  it('keeps each origin once, in the form in which origins are compared', async () => {
    const given = [
      'HTTPS://API.Example.com:443/',
      'https://api.example.com.',
      'http://bücher.example:8080',
      'http://[::1]:80',
    ];
    const { body } = await team.create({ ...OPEN, allowedOrigins: given });
    expect(body.allowedOrigins).toEqual([
      'https://api.example.com',
      'http://xn--bcher-kva.example:8080',
      'http://[::1]',
    ]);
  });

  it.each([
    'https://api.example.com/v1',
    'https://api.example.com?x=1',
    'https://api.example.com#x',
    'https://ada@api.example.com',
    'https://*.example.com',
    'https://api.example.com:99999',
    'https://',
    'ftp://api.example.com',
    'api.example.com',
    '//api.example.com',
    'https://api.example.com\\@evil.example',
    'https://api.exam\nple.com',
    '',
  ])('refuses the origin %j by its place', async (origin) => {
    const { status, body } = await team.create({
      ...OPEN,
      allowedOrigins: ['https://api.example.com', origin],
    });
    expect([status, faults(body)]).toEqual([400, ['allowedOrigins.1']]);
  });

  it('refuses more than 20 origins', async () => {
    const allowedOrigins = Array.from({ length: 21 }, (_, at) => `https://h${at}.example`);
    const { status, body } = await team.create({ ...OPEN, allowedOrigins });
    expect([status, faults(body)]).toEqual([400, ['allowedOrigins']]);
  });

  it('is changed by what is given and differs', async () => {
    const { body: made } = await team.create(OPEN);
    const authCredentialId = made.id;
    const { status, body } = await team.update({ authCredentialId, name: 'Climate' });
    expect([status, body.name]).toEqual([200, 'Climate']);
    expect(body.updatedAt > made.updatedAt).toBe(true);
    const back = await team.update({ authCredentialId, ...body });
    expect([back.status, back.body]).toEqual([200, body]);
    expect((await team.update({ authCredentialId })).body).toEqual(body);
  });

  it.each([
    [{ id: 999_999 }, 'id'],
    [{ workspaceId: 999_999 }, 'workspaceId'],
    [{ name: '' }, 'name'],
    [{ secret: { token: 'x'.repeat(20) } }, 'secret'],
    [{ allowedOrigins: ['nonsense'] }, 'allowedOrigins.0'],
    [{ unknown: 1 }, 'unknown'],
  ])('refuses the update %j by its field', async (fields, path) => {
    const { body: made } = await team.create(OPEN);
    const { status, body } = await team.update({ authCredentialId: made.id, ...fields });
    expect([status, faults(body)]).toEqual([400, [path]]);
  });

  it('is changed and deleted by its ETag only', async () => {
    const { body: made } = await team.create(OPEN);
    const shown = await team.get(made.id);
    const ifMatch = { headers: { 'if-match': String(shown.headers.etag) } };
    const body = { authCredentialId: made.id, name: 'Climate' };
    const changed = await team.owner.call('PUT', '/auth-credentials', { body, ...ifMatch });
    expect(changed.status).toBe(200);
    const path = `/auth-credentials/${made.id}`;
    expect((await team.owner.call('DELETE', path, ifMatch)).status).toBe(412);
    expect((await team.get(made.id)).status).toBe(200);
    const deleted = await team.owner.call('DELETE', path);
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect((await team.get(made.id)).status).toBe(404);
    expect((await team.owner.call('DELETE', path)).status).toBe(404);
  });

  it('of another workspace is as unknown as none', async () => {
    const stranger = await makeTeam();
    const { body } = await team.create(OPEN);
    expect((await stranger.get(body.id)).status).toBe(404);
    expect((await stranger.update({ authCredentialId: body.id, name: 'x' })).status).toBe(404);
    const elsewhere = await createWorkspace(team.owner, 'Elsewhere');
    const list = await team.owner.call('GET', `/workspaces/${elsewhere}/auth-credentials`);
    expect(list.body).toEqual([]);
  });
});
