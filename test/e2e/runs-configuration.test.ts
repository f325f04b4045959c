import { createStore, type StoreAnswer, sharedWorkspaces } from '../helpers/configurations.ts';
import type { ProblemBody } from '../helpers/http.ts';
import { createFlow, getRun, type RunAnswer } from '../helpers/runs.ts';

const world = sharedWorkspaces();
let flowId: number;
let store: StoreAnswer;

/** The value that no answer about a run shows. */
const KEPT = 'kept-with-the-run';

beforeAll(async () => {
  const { owner, workspaceId } = world;
  flowId = await createFlow(
    owner,
    workspaceId,
    `do:\n  - count: { set: { known: "\${ $properties.region ? $length($properties.region) : 0 }" } }\n`,
  );
  store = await createStore(owner, workspaceId, {
    externalId: 'shop-berlin',
    properties: [{ key: 'region', value: KEPT }],
  });
});

const start = <T = RunAnswer & { configuration: unknown }>(body: object, wait?: number) =>
  world.owner.call<T>('POST', `/flows/${flowId}/runs`, { body, query: { wait } });
const shown = ({ id, externalId, updatedAt }: StoreAnswer) => ({ id, externalId, updatedAt });

test.each([
  ['its id', () => store.id],
  ['its external id', () => store.externalId],
  ['its id as text', () => String(store.id)],
])(
  'a run that names a store by %s reads its properties and shows which store that was',
  async (_, name) => {
    const { status, body, text } = await start({ configuration: name() }, 20_000);
    expect([status, body.output]).toEqual([200, { known: KEPT.length }]);
    expect(body.configuration).toEqual(shown(store));
    const { body: listed, text: list } = await world.owner.call<{ configuration: unknown }[]>(
      'GET',
      `/flows/${flowId}/runs`,
    );
    expect(listed[0]?.configuration).toEqual(shown(store));
    expect([text, list].join()).not.toContain(KEPT);
  },
);

test.each([[{}], [{ configuration: null }]])('a start with %j uses no store', async (body) => {
  const { body: run } = await start(body, 20_000);
  expect([run.configuration, run.output]).toEqual([null, { known: 0 }]);
});

test('a run keeps the store as it was, whatever becomes of it', async () => {
  const { owner, workspaceId } = world;
  const changing = await createStore(owner, workspaceId, {
    properties: [{ key: 'region', value: 'four' }],
  });
  const { body: run } = await start({ configuration: changing.id }, 20_000);
  const { status } = await owner.call('PUT', '/configurations', {
    body: { id: changing.id, properties: [{ key: 'region', value: 'longer' }] },
  });
  expect(status).toBe(200);
  expect(await getRun(owner, run.id)).toMatchObject({
    output: { known: 4 },
    configuration: shown(changing),
  });
});

test('a property may have any key, and one that the store lacks is undefined', async () => {
  const { owner, workspaceId } = world;
  const keys = ['__proto__', 'constructor', 'a.b', 'then', '$', 'größe 大'];
  const odd = await createStore(owner, workspaceId, {
    properties: keys.map((key) => ({ key, value: `the value of ${key}` })),
  });
  const reading = await createFlow(
    owner,
    workspaceId,
    `do:\n  - read:\n      set:\n        keys: "\${ $keys($properties) }"\n        values: "\${ $each($properties, function($v) { $v }) }"\n        dotted: "\${ $properties.\`a.b\` }"\n        none: "\${ $exists($properties.a) or $exists($properties.toString) }"\n`,
  );
  const { body: run } = await owner.call<RunAnswer>('POST', `/flows/${reading}/runs`, {
    body: { configuration: odd.id },
    query: { wait: 20_000 },
  });
  expect(run).toMatchObject({
    status: 'SUCCESS',
    output: {
      keys,
      values: keys.map((key) => `the value of ${key}`),
      dotted: 'the value of a.b',
      none: false,
    },
  });
});

test.each([
  ['an unknown id', async () => 999_999_999],
  ['an unknown external id', async () => 'nothing-like-it'],
  [
    "another workspace's",
    async () => (await createStore(world.stranger, world.otherWorkspaceId)).id,
  ],
])('%s is a fault of the request', async (_, name) => {
  const { status, body } = await start<ProblemBody>({ configuration: await name() });
  expect([status, body.errors?.map(({ in: place, path }) => [place, path])]).toEqual([
    400,
    [['body', 'configuration']],
  ]);
});

test('an archived store starts no run', async () => {
  const { owner, workspaceId } = world;
  const archived = await createStore(owner, workspaceId);
  const { externalId } = archived;
  const query = { workspaceId };
  await owner.call('PUT', `/configurations/${externalId}/archive`, { query });
  const { status, body } = await start<ProblemBody>({ configuration: externalId });
  expect([status, body.code]).toEqual([409, 'ARCHIVED']);
});
