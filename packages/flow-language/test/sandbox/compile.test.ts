import { createSandbox } from '../../sandbox/sandbox.ts';

const sandbox = createSandbox({ maxChildren: 1 });
afterAll(() => sandbox.close());

test('compiles a file in a child', async () => {
  const { plan, faults } = await sandbox.compile('do: [{ a: { set: { n: 2 } } }]');
  expect(faults).toEqual([]);
  expect(plan).toMatchObject({ tasks: [{ kind: 'set', name: 'a', path: '/do/0/a' }] });
});

test('gives the faults of a broken one', async () => {
  const { plan, faults } = await sandbox.compile('do: [{ a: { jump: 1 } }]');
  expect(plan).toBeNull();
  expect(faults).toContainEqual(expect.objectContaining({ line: 1, code: 'UNKNOWN_KEY' }));
});

test('a file that costs more than a child has is too complex', async () => {
  const small = createSandbox({ maxChildren: 1, memoryMb: 16 });
  const text = `do: [{ a: { set: { list: [${'[1, 2],'.repeat(5_000)}] } } }]`;
  expect((await small.compile(text)).faults).toMatchObject([{ code: 'FLOW_TOO_COMPLEX' }]);
  small.close();
});

test('files take their turn without holding up expressions', async () => {
  const two = createSandbox({ maxChildren: 2 });
  const ended: string[] = [];
  const text = `do: [{ a: { set: { list: [${'[1, 2],'.repeat(5_000)}] } } }]`;
  const files = Array.from({ length: 6 }, () => two.compile(text).then(() => ended.push('file')));
  const template = { kind: 'expression' as const, expression: { source: '1', variables: [] } };
  await two
    .evaluate({ template, input: {}, variables: {}, now: 0, seed: '' })
    .then(() => ended.push('expression'));
  await Promise.all(files);
  expect(ended.indexOf('expression')).toBeLessThan(3);
  two.close();
});
