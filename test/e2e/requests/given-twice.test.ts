import { e2e } from '../../fixtures/e2e.ts';
import { type ProblemBody, request } from '../../helpers/http.ts';
import type { Person } from '../../helpers/people.ts';
import { sendRaw } from '../../helpers/raw-http.ts';

const { server, owner, stranger, workspace } = e2e();

/** The status and the problem that a GET with these lines of headers is answered with. */
async function get(path: string, ...headers: string[]): Promise<[string, Partial<ProblemBody>]> {
  const lines = [`GET ${path} HTTP/1.1`, 'Host: a', 'Connection: close', ...headers, '', ''];
  const answer = await sendRaw(server.url, lines.join('\r\n'));
  const [, status = ''] = /^HTTP\/1.1 (\d+)/.exec(answer) ?? [];
  return [status, JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))];
}

describe('a header that says who is calling, given twice', () => {
  it.each([
    ['two different tokens', 'authorization', 'Authorization: Bearer a.b.c', 'authorization: x'],
    ['the same token twice', 'authorization', 'AUTHORIZATION: x', 'Authorization: x'],
    ['two keys', 'x-api-key', 'X-API-KEY: a', 'x-api-key: b'],
  ])('is 400: %s', async (_what, name, ...headers) => {
    for (const path of ['/auth/me', workspace.issues, '/health/live']) {
      const [status, problem] = await get(path, ...headers);
      expect([path, status, problem.code]).toEqual([path, '400', 'INVALID_REQUEST']);
      expect(problem.errors).toEqual([
        expect.objectContaining({ in: 'header', code: 'given_twice' }),
      ]);
      expect(problem.errors?.[0]?.path.toLowerCase()).toBe(name);
    }
  });

  it('is one good token as little as two', async () => {
    const good = `Authorization: Bearer ${owner.token}`;
    expect((await get('/auth/me', good))[0]).toBe('200');
    expect((await get('/auth/me', good, 'Authorization: Bearer a.b.c'))[0]).toBe('400');
  });
});

describe('a key of a JSON body, given twice', () => {
  const post = (caller: Person, raw: string) =>
    caller.call<ProblemBody>('POST', workspace.issues, {
      raw,
      headers: { 'content-type': 'application/json' },
    });

  it.each([
    ['at the top', '{"title":"a","title":"b"}', 'title'],
    ['written otherwise', '{"title":"a","\\u0074itle":"b"}', 'title'],
    ['inside', '{"title":"a","assignee":{"id":1,"id":2}}', 'assignee.id'],
    ['inside a list', '{"title":"a","x":[0,{"y":1,"y":1}]}', 'x.1.y'],
    ['also with the same value', '{"title":"a","title":"a"}', 'title'],
  ])('is 400 and named: %s', async (_what, raw, path) => {
    const { status, body } = await post(owner, raw);
    expect([status, body.code]).toEqual([400, 'INVALID_REQUEST']);
    expect(body.errors).toContainEqual({
      in: 'body',
      path,
      code: 'given_twice',
      message: 'is given more than once',
    });
  });

  it('tells nobody of what they may not see', async () => {
    const { status } = await post(stranger, '{"title":"a","title":"b"}');
    expect(status).toBe(404);
    const anonymous = await request(server.url, 'POST', workspace.issues, { raw: '{"a":1,"a":2}' });
    expect(anonymous.status).toBe(401);
  });

  it('is none in another object, nor in a text', async () => {
    const { status } = await post(owner, '{"title":"a","description":"{\\"title\\":1}"}');
    expect(status).toBe(201);
  });
});
