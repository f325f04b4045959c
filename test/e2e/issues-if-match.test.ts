import { etagOf } from '../../contract/etag.ts';
import { e2e, type Result } from '../fixtures/e2e.ts';
import type { ProblemBody } from '../helpers/http.ts';

type Issue = Result<'issues.get'>;

const { owner, workspace } = e2e();

async function raised(): Promise<{ path: string; etag: string }> {
  const issue = await workspace.issue('a');
  return { path: `${workspace.issues}/${issue.id}`, etag: etagOf(issue) };
}
const shown = async (path: string) => (await owner.call<Issue>('GET', path)).body;
const withMatch = (etag: string) => ({ headers: { 'if-match': etag } });

it('changes and deletes an issue whose ETag it names', async () => {
  const { path, etag } = await raised();
  const changed = await owner.call<Issue>('PUT', path, {
    ...withMatch(etag),
    body: { title: 'b' },
  });
  expect(changed.status).toBe(200);
  const removed = await owner.call('DELETE', path, withMatch(etagOf(changed.body)));
  expect(removed.status).toBe(204);
});

it('is 412 for an ETag of before, and changes nothing', async () => {
  const { path, etag } = await raised();
  await owner.call('PUT', path, { body: { title: 'b' } });
  const before = await shown(path);
  const stale = { ...withMatch(etag), body: { description: 'lost' } };
  const ends = [
    await owner.call<ProblemBody>('PUT', path, stale),
    await owner.call<ProblemBody>('DELETE', path, withMatch(etag)),
  ];
  expect(ends.map(({ status, body }) => [status, body.code])).toEqual([
    [412, 'PRECONDITION_FAILED'],
    [412, 'PRECONDITION_FAILED'],
  ]);
  expect(await shown(path)).toEqual(before);
});

it('is 400 for a malformed If-Match, and changes nothing', async () => {
  const { path, etag } = await raised();
  for (const malformed of [etag.slice(1, -1), `${etag} ${etag}`, `*, ${etag}`]) {
    const change = { ...withMatch(malformed), body: { title: 'b' } };
    const { status, body } = await owner.call<ProblemBody>('PUT', path, change);
    expect(status).toBe(400);
    expect(body.errors).toEqual([
      { in: 'header', path: 'If-Match', code: 'invalid_format', message: expect.any(String) },
    ]);
  }
  expect(etagOf(await shown(path))).toBe(etag);
});

it('lets one of many changes at once through, and without it all of them', async () => {
  const { path, etag } = await raised();
  const titles = Array.from({ length: 10 }, (_, n) => `title ${n}`);
  const guarded = await Promise.all(
    titles.map((title) => owner.call('PUT', path, { ...withMatch(etag), body: { title } })),
  );
  expect(guarded.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(412)]);
  const fields = [{ title: 'x' }, { description: 'y' }, { status: 'CLOSED' }];
  const free = await Promise.all(fields.map((body) => owner.call('PUT', path, { body })));
  expect(free.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(await shown(path)).toMatchObject({ title: 'x', description: 'y', status: 'CLOSED' });
});
