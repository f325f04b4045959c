import type { Plan } from '@workspace-automation/flow-language';
import { databaseClock } from '../../../mixins/database/database-clock.ts';
import { showRun } from '../../../services/runs/show-run.ts';
import { prepareRun } from '../../../services/runs/starts/prepare-run.ts';
import { flowProgram } from '../../../services/runs/starts/programs.ts';
import type { ConfigurationForRun } from '../../../services/runs/starts/run-configuration.ts';
import { changeContext } from '../../helpers/change-context.ts';

const WORKSPACE = 17;

beforeAll(() => {
  const at = performance.now();
  databaseClock.add({ time: new Date(), sentAt: at, receivedAt: at });
});

const STORE: ConfigurationForRun = {
  id: 41,
  externalId: 'shop-berlin',
  updatedAt: '2026-01-29T16:02:11.250Z',
  archived: false,
  properties: { region: 'kept-value' },
  pairs: [{ flowId: 301, sourceAuthCredentialId: 5, destinationAuthCredentialId: null }],
};
const PLAN: Plan = {
  document: { dsl: '1.0.0', namespace: 'workspace', name: 'flow', version: '1.0.0' },
  tasks: [],
};
const VERSION = {
  flow: {
    id: 301,
    workspaceId: WORKSPACE,
    name: 'order-sync',
    description: '',
    versionId: 512,
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
  },
  versionId: 512,
  content: '',
};
const REFUSED = { valid: false, gaveUp: false, errors: [{ path: '', message: 'must be a list' }] };

interface Given {
  configuration?: number | string | null;
  store?: ConfigurationForRun | null;
  refusesInput?: boolean;
}

/** Prepares a run, and returns it with the lookups of stores that it took. */
async function prepare({ configuration, store = STORE, refusesInput = false }: Given) {
  const lookups: unknown[] = [];
  const plan = refusesInput ? { ...PLAN, inputSchema: { type: 'array' } } : PLAN;
  const order = {
    input: '{}',
    share: { owner: 'person:1', tenant: `workspace:${WORKSPACE}` },
    change: changeContext({ reservedId: 9001 }),
    ...(configuration === undefined ? {} : { configuration }),
  } as const;
  const run = await prepareRun(flowProgram(VERSION, null), order, {
    planOf: async () => plan,
    validateInput: async () => ({ ...REFUSED, valid: !refusesInput }) as never,
    findConfiguration: async (params) => {
      lookups.push(params);
      return { store };
    },
  });
  return { run, lookups };
}

test('a run keeps a copy of its store, and shows which store that is and as of when', async () => {
  const { run, lookups } = await prepare({ configuration: 'shop-berlin' });
  expect(lookups).toEqual([{ workspaceId: WORKSPACE, configuration: 'shop-berlin' }]);
  expect(JSON.parse(run.configuration?.properties ?? '')).toEqual(STORE.properties);
  expect(JSON.parse(run.configuration?.pairs ?? '')).toEqual(STORE.pairs);
  const { id, externalId, updatedAt } = STORE;
  expect(showRun(run).configuration).toEqual({ id, externalId, updatedAt });
  expect(JSON.stringify(showRun(run))).not.toContain('kept-value');
});

test.each([[undefined], [null]])('a start with the configuration %s asks nobody', async (none) => {
  const { run, lookups } = await prepare(none === undefined ? {} : { configuration: none });
  expect(lookups).toEqual([]);
  expect('configuration' in run).toBe(false);
  expect(showRun(run).configuration).toBeNull();
});

test('the bytes of the store count for the run', async () => {
  const value = 'é'.repeat(1_000);
  const store = { ...STORE, properties: { value }, pairs: [] };
  const [{ run: plain }, { run: kept }] = [
    await prepare({}),
    await prepare({ configuration: 41, store }),
  ];
  const bytes = Buffer.byteLength(JSON.stringify({ value })) + '[]'.length;
  expect((kept.baseBytes ?? 0) - (plain.baseBytes ?? 0)).toBe(bytes);
});

test('an unknown store is a fault of its field', async () => {
  await expect(prepare({ configuration: 41, store: null })).rejects.toMatchObject({
    code: 400,
    data: { errors: [{ in: 'body', path: 'configuration' }] },
  });
});

test('an archived store starts no run, and is refused behind the faults of the request', async () => {
  const store = { ...STORE, archived: true };
  await expect(prepare({ configuration: 41, store })).rejects.toMatchObject({
    code: 409,
    type: 'ARCHIVED',
  });
  const wrong = prepare({ configuration: 41, store, refusesInput: true });
  await expect(wrong).rejects.toMatchObject({ code: 400, type: 'INPUT_REFUSED' });
});
