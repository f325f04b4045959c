import fc from 'fast-check';
import {
  isSameList,
  mapOf,
  mergeProperties,
  propertiesWithIds,
} from '../../../services/configurations/properties/merge.ts';

/** Few keys, so that updates meet; some are names that objects have by themselves. */
const key = fc.constantFrom('a', 'b', '0', '__proto__', 'constructor', '$set', 'x.y');
const property = fc.record({ key, value: fc.constantFrom('', 'one', 'two') });
const update = fc.uniqueArray(property, { selector: (each) => each.key, maxLength: 4 });
const updates = fc.array(update, { maxLength: 12 });

/** Draws ids that no property of the test has. */
function drawIds() {
  let last = 1_000;
  return async () => ++last;
}

test('a sequence of updates leaves what a map has after the same updates', async () => {
  await fc.assert(
    fc.asyncProperty(updates, async (sequence) => {
      const model = new Map<string, string>();
      const ids = new Map<string, number>();
      const drawId = drawIds();
      let properties: Awaited<ReturnType<typeof propertiesWithIds>> = [];
      for (const wanted of sequence) {
        const merged = await mergeProperties(properties, wanted, drawId);
        const isChanged = wanted.some((each) => model.get(each.key) !== each.value);
        expect(merged !== null).toBe(isChanged);
        for (const each of wanted) model.set(each.key, each.value);
        properties = merged ?? properties;
        for (const { id, key: known } of properties) {
          expect(ids.get(known) ?? id).toBe(id);
          ids.set(known, id);
        }
      }
      expect(properties.map((each) => [each.key, each.value])).toEqual([...model]);
      expect(new Set(properties.map(({ id }) => id)).size).toBe(properties.length);
      expect(Object.entries(mapOf(properties)).sort()).toEqual([...model].sort());
    }),
  );
});

test('a replacement has the wanted order, and keeps the id of each key that stays', async () => {
  await fc.assert(
    fc.asyncProperty(update, update, async (first, second) => {
      const drawId = drawIds();
      const before = await propertiesWithIds(first, [], drawId);
      const after = await propertiesWithIds(second, before, drawId);
      expect(after.map(({ id: _id, ...rest }) => rest)).toEqual(second);
      for (const { id, key: kept } of before) {
        const same = after.find((each) => each.key === kept);
        if (same) expect(same.id).toBe(id);
        else expect(after.map((each) => each.id)).not.toContain(id);
      }
      expect(isSameList(after, before)).toBe(JSON.stringify(first) === JSON.stringify(second));
    }),
  );
});
