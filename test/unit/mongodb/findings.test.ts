import { findingOf } from '../../mongodb/plans/findings.ts';

const WHOLE = { a: ['[MinKey, MaxKey]'] };
const PART = { a: ['[1, 1]'] };
const scan = (more: object = {}) => ({ stage: 'COLLSCAN', ...more });
const index = (indexBounds: object, more: object = {}) => ({
  stage: 'IXSCAN',
  indexName: 'a_1',
  indexBounds,
  ...more,
});
const fetch = (inputStage: object, more: object = {}) => ({ stage: 'FETCH', inputStage, ...more });
const sort = (inputStage: object) => ({ stage: 'SORT', inputStage });
const limit = (inputStage: object) => ({ stage: 'LIMIT', inputStage });
const filter = { b: { $eq: 1 } };

const find = (winningPlan: object, ...rejectedPlans: object[]) =>
  findingOf('find', {}, { queryPlanner: { winningPlan, rejectedPlans } })?.finding;

test.each<[string, string | undefined, object[]]>([
  ['a scan of a collection', 'collection scan', [scan()]],
  ['a scan up to a limit, behind a filter', 'collection scan', [limit(scan({ filter }))]],
  ['the first documents of a collection', undefined, [limit(scan())]],
  ['a part of an index', undefined, [fetch(index(PART), { filter })]],
  ['a whole index behind a filter', 'collection scan', [limit(fetch(index(WHOLE), { filter }))]],
  ['a page in the order of an index', undefined, [limit(fetch(index(WHOLE)))]],
  ['a partial index', undefined, [fetch(index(WHOLE, { isPartial: true }), { filter })]],
  ['a sort', 'sort in memory', [sort(fetch(index(PART)))]],
  ['a sort that another plan saves', undefined, [sort(index(PART)), index(PART)]],
  [
    'a sort, or a whole index',
    'sort in memory',
    [sort(index(PART)), fetch(index(WHOLE), { filter })],
  ],
])('%s: %s', (_what, finding, [winning = {}, ...rejected]) => {
  expect(find(winning, ...rejected)).toBe(finding);
});

test('a collection that is missing has no plan yet', () => {
  expect(
    findingOf('find', {}, { queryPlanner: { winningPlan: { stage: 'EOF' } } }),
  ).toBeUndefined();
});

const aggregate = (pipeline: object[], stages: object[]) =>
  findingOf('aggregate', { pipeline }, { stages })?.finding;
const cursor = { $cursor: { queryPlanner: { winningPlan: index(PART) } } };

test('a sort behind a group is in memory, and a lookup is not explained', () => {
  expect(aggregate([{ $group: {} }], [cursor, { $group: {} }])).toBeUndefined();
  expect(aggregate([{ $group: {} }, { $sort: {} }], [cursor, { $group: {} }, { $sort: {} }])).toBe(
    'sort in memory',
  );
  expect(aggregate([{ $lookup: {} }], [cursor, { $lookup: {} }])).toBe('not explained');
});

test('an explanation that the engine refuses is a finding', () => {
  expect(findingOf('find', {}, { ok: 0, errmsg: 'no' })).toEqual({
    finding: 'not explained',
    stages: 'no',
  });
});
