import { toDocument, toValue } from '../../bson/values.ts';
import { idsOf, manualEngine, piped } from './helper.ts';
import {
  NO_TYPES,
  PROJECTIONS,
  QUERY_OPERATORS,
  REFUSED_PROJECTIONS,
  REFUSED_QUERY_OPERATORS,
  REGEX_OPTIONS,
  TYPES,
} from './queries.ts';

const { test, expectRefusal, found } = manualEngine();

describe('query operators', () => {
  it.each(QUERY_OPERATORS)('%s works: %j', async (_, filter, ids) => {
    expect(idsOf(await test.find('c', filter))).toEqual(ids);
  });

  it.each(REFUSED_QUERY_OPERATORS)('%s is refused by %d: %j', async (name, code, filter) => {
    await expectRefusal(name, code, { find: 'c', filter });
    await expectRefusal(name, code, piped({ $match: filter }));
    for (const c of ['c', 'none']) {
      await expectRefusal(name, code, { count: c, query: filter });
      await expectRefusal(name, code, { distinct: c, key: 'n', query: filter });
      await expectRefusal(name, code, { delete: c, deletes: [{ q: filter, limit: 0 }] });
      const u = { $set: { x: 1 } };
      await expectRefusal(name, code, { update: c, updates: [{ q: filter, u, upsert: true }] });
      await expectRefusal(name, code, { findAndModify: c, query: filter, remove: true });
    }
    expect(await found({ listCollections: 1, filter: { name: 'none' } })).toEqual([]);
  });

  it.each(TYPES)('$type knows %s as %d', async (name, number, value) => {
    await test.send({
      insert: 'types',
      documents: TYPES.map(([_id, , v]) => ({ _id, v })),
    });
    expect(idsOf(await test.find('types', { v: { $type: name } }))).toEqual([name]);
    expect(idsOf(await test.find('types', { v: { $type: [number] } }))).toEqual([name]);
    await test.send({ insert: 'one', documents: [{ value }] });
    expect(
      await found({ ...piped({ $project: { _id: 0, t: { $type: '$value' } } }), aggregate: 'one' }),
    ).toEqual([toDocument({ t: name === 'array' ? 'array' : name })]);
  });

  it('$type knows number', async () => {
    await test.send({
      insert: 'types',
      documents: TYPES.map(([_id, , v]) => ({ _id, v })),
    });
    const ids = idsOf(await test.find('types', { v: { $type: 'number' } }));
    expect(ids).toEqual(['double', 'int', 'long', 'decimal']);
  });

  it.each(NO_TYPES)('$type refuses %j by %d', (alias, code) =>
    expectRefusal(code === 2 ? String(alias) : '', code, {
      find: 'c',
      filter: { n: { $type: alias } },
    }),
  );

  it.each(REGEX_OPTIONS)(
    'the option %s of regular expressions works',
    async (option, pattern, ids) => {
      const $regex = pattern;
      expect(idsOf(await test.find('c', { s: { $regex, $options: option } }))).toEqual(ids);
    },
  );

  it.each([...'abcdefghjklnopqrtvwyzIMSX'])(
    'the option %s of regular expressions is refused',
    (option) =>
      expectRefusal(option, 51108, { find: 'c', filter: { s: { $regex: 'a', $options: option } } }),
  );
});

describe('projections', () => {
  it.each(PROJECTIONS)('%s works: %j', async (_, projection, shown) => {
    expect(await found({ find: 'c', filter: { a: 2, n: 5 }, projection })).toEqual([
      toValue(shown),
    ]);
  });

  it.each(REFUSED_PROJECTIONS)('%s is refused by %d', (name, code, projection) =>
    expectRefusal(name, code, { find: 'c', projection }),
  );
});
