import {
  createStore,
  firstFault,
  type StoreAnswer,
  sharedWorkspaces,
  uniqueName,
} from '../../helpers/configurations.ts';
import type { ProblemBody } from '../../helpers/http.ts';

const made = sharedWorkspaces();

/** Sends a store that is refused. Answers the status, and the field and the code of the first fault. */
async function refusal(more: object) {
  const { owner, workspaceId } = made;
  const body = { workspaceId, name: 'A store', ...more };
  return firstFault(await owner.call<ProblemBody>('POST', '/configurations', { body }));
}

it('keeps name, pairs and properties, and shows them by id', async () => {
  const { owner, workspaceId, flowId } = made;
  const properties = [
    { key: '__proto__', value: 'kept' },
    { key: 'constructor', value: '' },
    { key: '$where.a', value: '  blanks\tand\u0007controls ' },
    { key: '7', value: '🙂'.repeat(1024) },
  ];
  const { status, body, headers } = await owner.call<StoreAnswer>('POST', '/configurations', {
    body: { workspaceId, name: '  Customer 17 ', flowCredentialPairs: [{ flowId }], properties },
  });
  expect(status).toBe(201);
  expect(headers.location).toBe(`/configurations/${body.id}`);
  expect(body).toEqual({
    id: expect.any(Number),
    workspaceId,
    externalId: expect.stringMatching(/^[\da-f-]{36}$/),
    name: 'Customer 17',
    status: 'ACTIVE',
    flowCredentialPairs: [
      {
        id: expect.any(Number),
        flowId,
        sourceAuthCredential: null,
        destinationAuthCredential: null,
      },
    ],
    properties: properties.map((property) => ({ id: expect.any(Number), ...property })),
    createdAt: expect.stringMatching(/Z$/),
    updatedAt: body.createdAt,
  });
  const read = await owner.call('GET', `/configurations/${body.id}`);
  expect([read.status, read.body]).toEqual([200, body]);
});

it('makes one store for an Idempotency-Key', async () => {
  const { owner, workspaceId } = made;
  const options = {
    body: { workspaceId, name: 'Once', externalId: uniqueName('once') },
    headers: { 'idempotency-key': uniqueName('key') },
  };
  const first = await owner.call('POST', '/configurations', options);
  const again = await owner.call('POST', '/configurations', options);
  expect([again.status, again.text]).toEqual([201, first.text]);
});

describe('an external id', () => {
  it.each(['a', '7-up', 'A.b_c~d-e', '0'.repeat(127).concat('x')])(
    'may be %s',
    async (externalId) => {
      const { owner, workspaceId } = made;
      expect(await createStore(owner, workspaceId, { externalId })).toMatchObject({ externalId });
    },
  );

  it.each(['', '17', '-a', '.a', 'workspace', 'a b', 'a/b', 'ä', 'x'.repeat(129), 17, null])(
    'may not be %j',
    async (externalId) => {
      expect(await refusal({ externalId })).toEqual([400, 'externalId']);
    },
  );

  it('is 409 when another store of the workspace has it, an archived one as well', async () => {
    const { owner, stranger, workspaceId, otherWorkspaceId } = made;
    const externalId = uniqueName('taken');
    await createStore(owner, workspaceId, { externalId });
    expect(await refusal({ externalId })).toEqual([409, 'EXTERNAL_ID_TAKEN']);
    await createStore(stranger, otherWorkspaceId, { externalId });
  });
});

const property = (key: string, value = 'x') => ({ key, value });

it.each<[string, unknown, string]>([
  ['no key', [{ value: 'x' }], 'properties.0.key'],
  ['no value', [{ key: 'x' }], 'properties.0.value'],
  ['a value that is null', [{ key: 'x', value: null }], 'properties.0.value'],
  ['an empty key', [property('')], 'properties.0.key'],
  ['a key of 129 characters', [property('a'), property('k'.repeat(129))], 'properties.1.key'],
  ['a key with NUL', [property('a\0')], 'properties.0.key'],
  ['a value with NUL', [property('a', 'x\0')], 'properties.0.value'],
  ['a value of 4097 bytes', [property('a', `${'é'.repeat(2048)}x`)], 'properties.0.value'],
  ['a key twice', [property('a'), property('b'), property('a')], 'properties.2.key'],
  ['an unknown field', [{ ...property('a'), secret: true }], 'properties.0.secret'],
  ['1,001 properties', Array.from({ length: 1001 }, (_, i) => property(`k${i}`)), 'properties'],
  [
    'more than 200 KiB',
    Array.from({ length: 55 }, (_, i) => property(`k${i}`, 'x'.repeat(4000))),
    'properties',
  ],
])('refuses properties with %s', async (_what, properties, path) => {
  expect(await refusal({ properties })).toEqual([400, path]);
});

it('takes 1,000 properties, keys of 128 characters and values of 4,096 bytes', async () => {
  const { owner, workspaceId } = made;
  const properties = Array.from({ length: 1000 }, (_, i) => property(`k${i}`));
  expect((await createStore(owner, workspaceId, { properties })).properties).toHaveLength(1000);
  const longest = [property('k'.repeat(128), 'x'.repeat(4096))];
  expect(await createStore(owner, workspaceId, { properties: longest })).toMatchObject({
    properties: longest,
  });
});

it.each<[string, (flowId: number, otherFlowId: number) => unknown, string]>([
  ['a flow twice', (flowId) => [{ flowId }, { flowId }], 'flowCredentialPairs.1.flowId'],
  ['no flow', () => [{}], 'flowCredentialPairs.0.flowId'],
  [
    "another workspace's flow",
    (flowId, flow2) => [{ flowId }, { flowId: flow2 }],
    'flowCredentialPairs.1.flowId',
  ],
  ['an unknown flow', () => [{ flowId: 9_007_199_254_740_000 }], 'flowCredentialPairs.0.flowId'],
  [
    'a credential that is no id',
    (flowId) => [{ flowId, sourceAuthCredentialId: '1' }],
    'flowCredentialPairs.0.sourceAuthCredentialId',
  ],
  [
    '501 pairs',
    () => Array.from({ length: 501 }, (_, i) => ({ flowId: i + 1 })),
    'flowCredentialPairs',
  ],
])('refuses pairs with %s', async (_what, pairsOf, path) => {
  const flowCredentialPairs = pairsOf(made.flowId, made.otherFlowId);
  expect(await refusal({ flowCredentialPairs })).toEqual([400, path]);
});

it.each(['id', 'status', 'createdAt'])('refuses the field %s', async (field) => {
  expect(await refusal({ [field]: 1 })).toEqual([400, field]);
});
