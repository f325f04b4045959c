import { type Literal, toDocument } from '../../bson/values.ts';
import { UPDATE_OPERATORS } from '../../update/operators.ts';
import { DOCUMENTS, type Fields, manualEngine } from './helper.ts';
import { REFUSED_UPDATES, TIMES, UPDATE_STAGES, UPDATES } from './updates.ts';

const { test, expectRefusal } = manualEngine();

describe('updates', () => {
  const first = DOCUMENTS[0] as Fields;
  const update = (u: Literal, q: Fields = { _id: 1, a: 2 }): Fields => ({
    update: 'c',
    updates: [
      { q, u, ...(JSON.stringify(u).includes('$[x]') ? { arrayFilters: [{ x: 3 }] } : {}) },
    ],
  });

  it.each([
    ...UPDATES,
    ...UPDATE_STAGES.map(([name, stage, changed]) => [name, [stage], changed] as const),
  ])('%s works: %j', async (_, u, changed) => {
    await expectRefusal('', 0, update(u));
    const [document] = await test.find('c', { _id: 1 });
    const fields = Object.entries({ ...first, ...changed }).filter(
      ([, value]) => value !== undefined,
    );
    expect(document).toEqual(toDocument(Object.fromEntries(fields)));
  });

  it.each(TIMES)('$currentDate sets %j', async (type, kind) => {
    await test.send(update({ $currentDate: { d: type } }));
    expect((await test.find('c', { _id: 1 }))[0]?.get('d')).toBeInstanceOf(kind);
  });

  it.each(REFUSED_UPDATES)('%s is refused by %d: %j', (name, code, u) =>
    expectRefusal(name, code, update(u)),
  );

  it('have an example for each operator', () => {
    const tried = [...UPDATES.map(([name]) => name), '$currentDate'];
    expect([...UPDATE_OPERATORS.keys()].filter((name) => !tried.includes(name))).toEqual([]);
  });
});
