import { e2e, type Result } from '../../fixtures/e2e.ts';
import type { ProblemBody } from '../../helpers/http.ts';
import { nextPage, pagesOf } from '../../helpers/pages.ts';

type Issue = Result<'issues.get'>;

const { owner, freshWorkspace: workspace } = e2e();

async function raise(title: string, fields: object = {}, update?: object): Promise<Issue> {
  const raised = await workspace.issue(title, fields);
  if (!update) return raised;
  return (await owner.call<Issue>('PUT', `${workspace.issues}/${raised.id}`, { body: update }))
    .body;
}
/** The order of a list; ids that different processes gave do not follow the time. */
const byId = (raised: readonly Issue[]) => [...raised].sort((a, b) => a.id - b.id);
const idsOf = (raised: readonly Issue[]) => raised.map(({ id }) => id);

async function titles(query: Record<string, string | number>): Promise<string[]> {
  const { status, body } = await owner.call<Issue[]>('GET', workspace.issues, { query });
  expect(status).toBe(200);
  return body.map(({ title }) => title);
}

describe('the list of issues', () => {
  it('is by id, a page at a time, none twice and none left out', async () => {
    const raised: Issue[] = [];
    for (let n = 0; n < 7; n++) raised.push(await raise(`Issue ${n}`));
    const all = await titles({});
    expect(all).toEqual(byId(raised).map(({ title }) => title));
    const pages = await pagesOf<Issue>(owner, `${workspace.issues}?limit=3&status=OPEN`);
    expect(pages.map(({ length }) => length)).toEqual([3, 3, 1]);
    expect(pages.flat().map(({ title }) => title)).toEqual(all);
  });

  it('keeps its place when issues come and go between two pages', async () => {
    let raised: Issue[] = [];
    for (let n = 0; n < 4; n++) raised.push(await raise(`Issue ${n}`));
    raised = byId(raised);
    const { headers } = await owner.call('GET', `${workspace.issues}?limit=2`);
    const next = nextPage(headers) ?? '';
    await owner.call('DELETE', `${workspace.issues}/${raised[1]?.id}`);
    raised.push(await raise('Issue 4'));
    const { body } = await owner.call<Issue[]>('GET', next);
    const behind = raised.filter(({ id }) => id > (raised[1]?.id ?? 0));
    expect(body.map(({ id }) => id)).toEqual(idsOf(byId(behind)).slice(0, 2));
  });

  it('ends a page at 512 KiB', async () => {
    const description = 'x '.repeat(5000);
    for (let n = 0; n < 60; n++) await raise(`Issue ${n}`, { description });
    const { text, body, headers } = await owner.call<Issue[]>('GET', workspace.issues);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(512 * 1024);
    expect(body.length).toBeLessThan(60);
    const next = nextPage(headers) ?? '';
    const rest = await owner.call<Issue[]>('GET', next);
    expect(body.length + rest.body.length).toBe(60);
  });

  it('filters by status and by assignee', async () => {
    await raise('open');
    await raise('closed', {}, { status: 'CLOSED' });
    await raise('mine', { assignedUserId: owner.id });
    await raise('mine and closed', { assignedUserId: owner.id }, { status: 'CLOSED' });
    const among = async (query: Record<string, string | number>) => (await titles(query)).sort();
    expect(await among({ status: 'CLOSED' })).toEqual(['closed', 'mine and closed']);
    expect(await among({ assignedUserId: owner.id })).toEqual(['mine', 'mine and closed']);
    expect(await titles({ assignedUserId: owner.id, status: 'OPEN' })).toEqual(['mine']);
    expect(await titles({ assignedUserId: 999_999 })).toEqual([]);
  });

  it.each([
    ['a word of the title', 'engine', ['Engine broken']],
    ['a word of the description', 'wheel', ['Engine broken']],
    ['words of both, in any order', 'wheel engine', ['Engine broken']],
    ['upper case', 'ENGINE', ['Engine broken']],
    ['without the accents', 'creme brulee', ['Crème Brûlée']],
    ['with accents that are not there', 'éngine', ['Engine broken']],
    ['the beginning of a word', 'eng', ['Engine broken']],
    ['the middle of a word', 'ngine', []],
    ['words that stand apart', 'engine brulee', []],
    ['an operator of regular expressions', 'e.*n', []],
    ['an operator of the database', '$ne', []],
  ])('searches by %s', async (_what, q, expected) => {
    await raise('Engine broken', { description: 'The fourth wheel, twice.' });
    await raise('Crème Brûlée', { description: '' });
    expect((await titles({ q })).sort()).toEqual([...expected].sort());
  });

  it('follows a change of the text', async () => {
    await raise('Before', { description: 'old' }, { title: 'After', description: 'new' });
    expect(await titles({ q: 'before' })).toEqual([]);
    expect(await titles({ q: 'old' })).toEqual([]);
    expect(await titles({ q: 'after new' })).toEqual(['After']);
  });

  it('filters by the time of the last change', async () => {
    await raise('first');
    const { updatedAt } = await raise('second');
    expect(await titles({ updatedSince: updatedAt })).toContain('second');
    const later = new Date(Date.parse(updatedAt) + 1);
    expect(await titles({ updatedSince: later.toISOString() })).toEqual([]);
    expect(await titles({ updatedSince: '2020-01-01T00:00:00+02:00' })).toHaveLength(2);
  });

  it.each([
    ['status', 'DONE'],
    ['assignedUserId', '0'],
    ['assignedUserId', '1e3'],
    ['updatedSince', 'yesterday'],
    ['updatedSince', '2026-02-30T00:00:00Z'],
    ['q', 'x'.repeat(201)],
    ['q', '...'],
    ['q', '\ufc5e'], // a letter that is a space and accents beneath
    ['limit', '1001'],
    ['after', 'bm9uc2Vuc2U'],
    ['after', 'WzEsMl0'],
    ['sort', 'title'],
    ['a[$ne]', '1'],
  ])('refuses %s=%s with 400 that names it', async (name, value) => {
    const search = `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
    const { status, body } = await owner.call<ProblemBody>('GET', `${workspace.issues}?${search}`);
    expect([status, body.errors?.map(({ path }) => path)]).toEqual([400, [name]]);
  });
});
