import type { AuditEntry } from '../../../contract/audit.ts';
import { QUEUE_TIMEOUT_MS } from '../../../mixins/changes/group-commit-queue.ts';
import { e2e } from '../../fixtures/e2e.ts';
import { createKey, createStore, type StoreAnswer } from '../../helpers/configurations.ts';
import { request } from '../../helpers/http.ts';
import { pagesOf } from '../../helpers/pages.ts';
import type { Person } from '../../helpers/people.ts';
import { startServer } from '../../helpers/server.ts';
import { waitFor } from '../../helpers/wait.ts';

/** Writers of one store at the same time. */
const WRITERS = 200;
/** The properties that the store has before, with their values: 120 KiB of JSON. */
const BEFORE = Array.from({ length: 500 }, (_, i) => ({ key: `old${i}`, value: 'x'.repeat(200) }));

/** Tokens of one process are those of the other. */
const PUBLIC_URL = 'http://service.test';

const { server, database, owner, workspace } = e2e({ database: true, env: { PUBLIC_URL } });
let urls: string[];
let others: Person[];
let keys: Record<string, string>[];

beforeAll(async () => {
  const second = await startServer({
    dataDir: server.dataDir,
    env: { MONGODB_URI: database.uri, PUBLIC_URL },
  });
  urls = [server.url, second.url];
  others = [await workspace.member('ADMIN'), await workspace.member('AGENT')];
  const newKey = () => createKey(owner, workspace.id, ['configurations:properties']);
  keys = [await newKey(), await newKey()];
});

/** A writer sets one property. Returns the status. */
type Writer = (url: string, storeId: number, key: string) => Promise<number>;

const byToken =
  ({ token }: Person): Writer =>
  async (url, storeId, key) => {
    const query = { workspaceId: workspace.id };
    const options = { token, query, body: { key, value: key } };
    return (await request(url, 'PUT', `/configurations/${storeId}/properties`, options)).status;
  };
const byKey =
  (headers: Record<string, string>): Writer =>
  async (url, storeId, key) => {
    const query = { workspaceId: workspace.id };
    const options = { headers, query, body: { properties: [{ key, value: key }] } };
    const path = `/configurations/${storeId}/properties/external`;
    return (await request(url, 'PUT', path, options)).status;
  };

/**
 * Repeats a write once that has waited for its timeout: a slow machine has refused the write, and not the crowd of
 * writers.
 */
async function retryTimedOutWrite(write: () => Promise<number>): Promise<number> {
  const started = performance.now();
  const status = await write();
  const isTimedOut = status === 503 && performance.now() - started >= QUEUE_TIMEOUT_MS;
  return isTimedOut ? write() : status;
}

/** Lets all writers set a property each, in turn at the processes. Returns the statuses, and prints the times. */
async function writeAll(storeId: number, writers: readonly Writer[], at: readonly string[]) {
  const times: number[] = [];
  const write = async (i: number) => {
    const started = performance.now();
    const writer = writers[i % writers.length] ?? byToken(owner);
    const url = at[i % at.length] ?? '';
    const status = await retryTimedOutWrite(() => writer(url, storeId, `new${i}`));
    times.push(performance.now() - started);
    return status;
  };
  const statuses = await Promise.all(Array.from({ length: WRITERS }, (_, i) => write(i)));
  times.sort((a, b) => a - b);
  const p99 = times[Math.ceil(times.length * 0.99) - 1] ?? 0;
  process.stdout.write(`${at.length} processes, ${writers.length} callers: p99 ${p99 | 0} ms\n`);
  return statuses;
}

it.each<[string, () => Writer[], () => string[]]>([
  ['of one caller', () => [byToken(owner)], () => urls.slice(0, 1)],
  [
    'of several callers, some with keys',
    () => [...[owner, ...others].map(byToken), ...keys.map(byKey)],
    () => urls.slice(0, 1),
  ],
  [
    'of several callers at two processes',
    () => [...[owner, ...others].map(byToken), ...keys.map(byKey)],
    () => urls,
  ],
])(
  '200 writers %s lose no update and get no refusal',
  async (_of, writers, at) => {
    const store = await createStore(owner, workspace.id, { properties: BEFORE });
    const statuses = await writeAll(store.id, writers(), at());
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    const { body } = await owner.call<StoreAnswer>('GET', `/configurations/${store.id}`);
    const written = Array.from({ length: WRITERS }, (_, i) => ({
      key: `new${i}`,
      value: `new${i}`,
    }));
    const shown = body.properties.map(({ key, value }) => ({ key, value }));
    expect(shown.slice(0, BEFORE.length)).toEqual(BEFORE);
    expect(shown).toHaveLength(BEFORE.length + WRITERS);
    expect(shown).toEqual(expect.arrayContaining(written));
    expect(new Set(body.properties.map(({ id }) => id)).size).toBe(shown.length);
    await waitFor('an audit entry of each update', async () => {
      const entries = await pagesOf<AuditEntry>(owner, `/workspaces/${workspace.id}/audit-log`);
      const ofStore = entries
        .flat()
        .filter(({ resource, changed }) => resource.id === store.id && changed.length);
      return ofStore.length === WRITERS || undefined;
    });
  },
  240_000,
);
