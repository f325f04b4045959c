import { createStore, type StoreAnswer, sharedWorkspaces } from '../../helpers/configurations.ts';
import type { ProblemBody } from '../../helpers/http.ts';
import { pagesOf } from '../../helpers/pages.ts';

const made = sharedWorkspaces();

it('shows the stores of the workspace by id, in pages', async () => {
  const { owner, stranger, workspaceId, otherWorkspaceId } = made;
  const stores = [];
  for (let i = 0; i < 5; i++) stores.push(await createStore(owner, workspaceId));
  await createStore(stranger, otherWorkspaceId);
  const pages = await pagesOf<StoreAnswer>(
    owner,
    `/configurations/workspace/${workspaceId}?limit=2`,
  );
  expect(pages.map((page) => page.length)).toEqual([2, 2, 1]);
  expect(pages.flat()).toEqual(stores.sort((a, b) => a.id - b.id));
});

it('has pages of at most 512 KiB', async () => {
  const { stranger, otherWorkspaceId } = made;
  const properties = Array.from({ length: 40 }, (_, i) => ({
    key: `${i}`,
    value: 'x'.repeat(4000),
  }));
  for (let i = 0; i < 5; i++) await createStore(stranger, otherWorkspaceId, { properties });
  const pages = await pagesOf<StoreAnswer>(
    stranger,
    `/configurations/workspace/${otherWorkspaceId}`,
  );
  expect(pages.length).toBeGreaterThan(1);
  for (const page of pages) expect(JSON.stringify(page).length).toBeLessThan(512 * 1024);
  expect(new Set(pages.flat().map(({ id }) => id)).size).toBe(6);
});

it.each(['yes', 'TRUE', '1', ''])('refuses archived=%s', async (archived) => {
  const { owner, workspaceId } = made;
  const path = `/configurations/workspace/${workspaceId}?archived=${archived}`;
  const { status, body } = await owner.call<ProblemBody>('GET', path);
  expect([status, body.errors?.[0]?.path]).toEqual([400, 'archived']);
});

it('is 404 for the store of another workspace, and 400 for what is no id', async () => {
  const { stranger, owner, workspaceId } = made;
  const { id } = await createStore(owner, workspaceId);
  expect((await stranger.call('GET', `/configurations/${id}`)).status).toBe(404);
  expect((await owner.call('GET', '/configurations/9007199254740000')).status).toBe(404);
  expect((await owner.call('GET', '/configurations/first')).status).toBe(400);
});
