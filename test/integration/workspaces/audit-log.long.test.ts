import type { AuditEntry } from '../../../contract/audit.ts';
import { type AuditEntryDocument, AuditEntryModel } from '../../../models/audit-entry.model.ts';
import { listAudit, MAX_EXAMINED } from '../../../services/workspaces/audit/list-audit.ts';
import { captureCommands, examinedBy } from '../../helpers/captured-commands.ts';
import { useDatabase } from '../../helpers/database.ts';

useDatabase([AuditEntryModel]);

const BEGIN = Date.parse('2026-01-01T00:00:00.000Z');
const SMALL = 1;
const LARGE = 2;
/** Entries of the large workspace, one a second. */
const ENTRIES = 100_000;
/** The number of an entry whose actor, operation and resource no other entry has. */
const RARE = 40;

const timeOf = (n: number): Date => new Date(BEGIN + n * 1_000);

function entryOf(workspaceId: number, n: number): AuditEntryDocument {
  const hex = timeOf(n).getTime().toString(16).padStart(12, '0');
  const isRare = n === RARE;
  return {
    _id: `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${String(workspaceId).padStart(12, '0')}`,
    at: timeOf(n),
    workspaceId,
    actor: isRare
      ? { type: 'api-key', id: 2, name: 'Form' } // a person has the same id
      : { type: 'person', id: 1 + (n % 5), name: 'Ada' },
    via: 'http',
    operation: isRare ? 'issues.createExternal' : 'issues.update',
    resource: { type: isRare ? 'form' : 'issue', id: isRare ? 777_777 : 1_000 + (n % 500) },
    changed: ['title'],
    requestId: null,
  };
}

async function insertEntries(workspaceId: number, count: number): Promise<void> {
  const entries = Array.from({ length: count }, (_, n) => entryOf(workspaceId, n));
  for (let first = 0; first < count; first += 5_000) {
    await AuditEntryModel.collection.insertMany(entries.slice(first, first + 5_000) as object[], {
      ordered: false,
    });
  }
}

beforeAll(async () => {
  await insertEntries(SMALL, 100);
  await insertEntries(LARGE, ENTRIES);
});

type Filter = Partial<Omit<Parameters<typeof listAudit>[0], 'workspaceId'>>;
const list = (workspaceId: number, filter: Filter = {}) =>
  listAudit({ workspaceId, limit: 10, ...filter });

/** Every entry that a client gets that follows the cursors, and the number of pages. */
async function readAll(workspaceId: number, filter: Filter) {
  const items: AuditEntry[] = [];
  let pages = 0;
  for (let after: string | undefined; ; ) {
    const page = await list(workspaceId, { limit: 1_000, ...filter, ...(after ? { after } : {}) });
    items.push(...page.items);
    pages++;
    if (page.after === null) return { items, pages };
    after = page.after;
  }
}

/** The documents and keys that one call of the listing examines. */
async function examinedByListing(workspaceId: number, filter: Filter) {
  const captured = captureCommands();
  const { items } = await list(workspaceId, filter);
  captured.stop();
  const all = await Promise.all(captured.all.map(examinedBy));
  const sum = (name: 'keys' | 'documents') => all.reduce((total, one) => total + one[name], 0);
  return { items: items.length, keys: sum('keys'), documents: sum('documents') };
}

const FILTERS: Record<string, Filter> = {
  'no filter': {},
  'a resource': { resourceId: 1_003 },
  'an actor': { actorId: 3 },
  'a time': { from: timeOf(20).toISOString(), to: timeOf(60).toISOString() },
};

test.each(Object.entries(FILTERS))(
  'a page by %s examines as many documents among 100,000 entries as among 100',
  async (_name, filter) => {
    const [small, large] = [
      await examinedByListing(SMALL, filter),
      await examinedByListing(LARGE, filter),
    ];
    expect(large.items).toBeGreaterThan(0);
    expect(large.documents).toBeLessThanOrEqual(11);
    expect(large.keys).toBeLessThanOrEqual(12);
    expect(small.documents).toBeLessThanOrEqual(11);
  },
);

test.each<Filter>([{ operation: 'issues.createExternal' }, { actorType: 'run' }])(
  'a filter %j without an index examines a bounded number of entries, and its cursors lead to all that pass',
  async (filter) => {
    const { keys, documents } = await examinedByListing(LARGE, filter);
    expect(documents).toBeLessThanOrEqual(2 * MAX_EXAMINED + 4);
    expect(keys).toBeLessThanOrEqual(2 * MAX_EXAMINED + 4);
    const { items, pages } = await readAll(LARGE, filter);
    expect(items.map(({ at }) => at)).toEqual(
      'operation' in filter ? [timeOf(RARE).toISOString()] : [],
    );
    expect(pages).toBe(ENTRIES / MAX_EXAMINED);
  },
);

const everyFilter: [Filter, (n: number) => boolean][] = [
  [{ resourceId: 777_777 }, (n) => n === RARE],
  [{ resourceId: 777_777, actorId: 1 }, () => false],
  [
    { resourceId: 777_777, actorId: 2, actorType: 'api-key', resourceType: 'form' },
    (n) => n === RARE,
  ],
  [{ actorId: 9, actorType: 'person' }, () => false],
  [{ actorId: 2 }, (n) => n % 5 === 1 || n === RARE],
  [{ actorId: 2, operation: 'issues.update' }, (n) => n % 5 === 1],
  [{ actorType: 'person', from: timeOf(30).toISOString() }, (n) => n >= 30 && n !== RARE],
  [{ to: timeOf(30).toISOString() }, (n) => n <= 30],
  [{ from: timeOf(30).toISOString(), to: timeOf(30).toISOString() }, (n) => n === 30],
  [{ to: '1969-12-31T23:59:59.999Z' }, () => false],
  [{ from: '9999-12-31T23:59:59.999Z' }, () => false],
];

test.each(everyFilter)('%j lists what passes, newest first', async (filter, passes) => {
  const { items } = await readAll(SMALL, { ...filter, limit: 7 });
  const expected = Array.from({ length: 100 }, (_, n) => n).filter(passes);
  expect(items.map(({ at }) => at)).toEqual(expected.reverse().map((n) => timeOf(n).toISOString()));
});

test('an entry of another workspace is not listed', async () => {
  const { items } = await readAll(3, {});
  expect(items).toEqual([]);
});

test.each(['bm90IGpzb24', Buffer.from('[7]').toString('base64url')])(
  'the cursor %s of another list is refused',
  async (after) => {
    await expect(list(SMALL, { after })).rejects.toMatchObject({ code: 400 });
  },
);
