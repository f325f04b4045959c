import { createHash, randomUUID } from 'node:crypto';
import { e2e, type Result } from '../fixtures/e2e.ts';
import type { ProblemBody } from '../helpers/http.ts';
import { registerVerified } from '../helpers/people.ts';

type Issue = Result<'issues.get'>;

const { server, owner, stranger, workspace } = e2e();

const body = { title: 'Once', description: '' };
const post = <T = Issue>(key: string, options: object = {}, person = owner) =>
  person.call<T>('POST', workspace.issues, {
    body,
    headers: { 'idempotency-key': key },
    ...options,
  });
const count = async () => (await owner.call<Issue[]>('GET', workspace.issues)).body.length;

describe('a request with an Idempotency-Key', () => {
  it('creates once, and its repeat gets the same answer', async () => {
    const key = randomUUID();
    const before = await count();
    const first = await post(key);
    const again = await post(key);
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.text).toBe(first.text);
    expect(again.headers.location).toBe(first.headers.location);
    expect(first.headers).not.toHaveProperty('idempotent-replayed');
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(await count()).toBe(before + 1);
  });

  it('is created once by requests that come together: the others are 409 or repeats', async () => {
    const key = randomUUID();
    const before = await count();
    const answers = await Promise.all(Array.from({ length: 8 }, () => post<ProblemBody>(key)));
    expect(await count()).toBe(before + 1);
    for (const { status, headers, body: problem } of answers.filter((a) => a.status !== 201)) {
      expect([status, problem.code]).toEqual([409, 'IDEMPOTENCY_KEY_IN_FLIGHT']);
      expect(headers['retry-after']).toBe('1');
    }
  });

  it('is 422 with another body, query or path', async () => {
    const key = randomUUID();
    await post(key);
    const headers = { 'idempotency-key': key };
    const others = [
      await post<ProblemBody>(key, { body: { ...body, title: 'Another' } }),
      await post<ProblemBody>(key, { query: { x: 1 } }),
      await owner.call<ProblemBody>('POST', `${workspace.issues}/external`, { body, headers }),
    ];
    for (const { status, body: problem } of others) {
      expect([status, problem.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    }
  });

  it('keeps a refusal as the answer', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const taken = { body: { firstName: 'Ada', lastName: 'King', email: owner.email }, headers };
    const first = await owner.call('POST', '/users', taken);
    const again = await owner.call('POST', '/users', taken);
    expect([first.status, again.status, again.text]).toEqual([409, 409, first.text]);
  });

  it('is not used up by a 400: it is checked again, and the corrected request has the key', async () => {
    const [key, before] = [randomUUID(), await count()];
    const wrong = { body: { ...body, nope: 1 } };
    for (const { status, headers } of [await post(key, wrong), await post(key, wrong)]) {
      expect(status).toBe(400);
      expect(headers).not.toHaveProperty('idempotent-replayed');
    }
    const [corrected, again] = [await post(key), await post(key)];
    expect([corrected.status, again.status, again.text]).toEqual([201, 201, corrected.text]);
    expect(await count()).toBe(before + 1);
    expect((await post(key, wrong)).status).toBe(422);
  });

  it("has nothing to do with another caller's of the same key", async () => {
    const key = randomUUID();
    await post(key);
    const answer = await post<ProblemBody>(key, {}, stranger);
    expect(answer.status).toBe(404);
    expect(answer.headers).not.toHaveProperty('idempotent-replayed');
  });

  it('is not answered to who has left the workspace, and is carried out for who has come', async () => {
    const member = await registerVerified(server.url, 'Bob');
    const [early, late] = [randomUUID(), randomUUID()];
    expect((await post(early, {}, member)).status).toBe(404);
    const users = workspace.issues.replace('/issues', '/users');
    const query = { userEmail: member.email };
    await owner.call('POST', users, { query: { ...query, role: 'MEMBER' } });
    expect((await post(early, {}, member)).status).toBe(201);
    expect((await post(late, {}, member)).status).toBe(201);
    expect((await owner.call('DELETE', users, { query })).status).toBe(204);
    const repeated = await post<ProblemBody>(late, {}, member);
    expect([repeated.status, repeated.body.code]).toEqual([404, 'NOT_FOUND']);
    expect(repeated.headers).not.toHaveProperty('idempotent-replayed');
  });

  it('is refused before its key is looked at', async () => {
    const answer = await post<ProblemBody>(randomUUID(), { token: '' });
    expect(answer.status).toBe(401);
  });

  it.each(['x'.repeat(256), 'a b', 'é'])('is 400 with an impossible key: %s', async (key) => {
    const { status, body: problem } = await post<ProblemBody>(key);
    expect(status).toBe(400);
    expect(problem.errors).toEqual([
      expect.objectContaining({ in: 'header', path: 'Idempotency-Key', code: 'invalid_format' }),
    ]);
  });

  it('is as any other where the operation takes no key', async () => {
    const options = { headers: { 'idempotency-key': 'a b' } };
    expect((await owner.call('GET', workspace.issues, options)).status).toBe(200);
  });
});

describe('the ETag of a resource', () => {
  it('is a strong hash of the body, the same for whoever reads it', async () => {
    const { body: issue } = await post(randomUUID());
    const path = `${workspace.issues}/${issue.id}`;
    const { headers, text } = await owner.call('GET', path);
    expect(headers.etag).toBe(`"${createHash('sha256').update(text).digest('base64url')}"`);
    expect((await owner.call('HEAD', path)).headers.etag).toBe(headers.etag);
    expect((await owner.call('GET', workspace.issues)).headers).not.toHaveProperty('etag');
  });

  it.each(['GET', 'HEAD'])('makes a %s 304 when the client has it', async (method) => {
    const { body: issue } = await post(randomUUID());
    const path = `${workspace.issues}/${issue.id}`;
    const etag = String((await owner.call('GET', path)).headers.etag);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const answer = await owner.call(method, path, { headers: { 'if-none-match': known } });
      expect([answer.status, answer.text, answer.headers.etag]).toEqual([304, '', etag]);
    }
    const other = await owner.call(method, path, { headers: { 'if-none-match': '"other"' } });
    expect(other.status).toBe(200);
  });

  it('keeps a change of another version out', async () => {
    const { body: issue } = await post(randomUUID());
    const path = `${workspace.issues}/${issue.id}`;
    const etag = String((await owner.call('GET', path)).headers.etag);
    const put = (title: string, known: string) =>
      owner.call<ProblemBody>('PUT', path, { body: { title }, headers: { 'if-match': known } });
    const changed = await put('First', etag);
    expect(changed.status).toBe(200);
    expect(changed.headers.etag).toBe((await owner.call('GET', path)).headers.etag);
    const late = await put('Second', etag);
    expect([late.status, late.body.code]).toEqual([412, 'PRECONDITION_FAILED']);
    const remove = await owner.call('DELETE', path, { headers: { 'if-match': etag } });
    expect(remove.status).toBe(412);
    expect((await owner.call<Issue>('GET', path)).body.title).toBe('First');
  });
});
