import fc from 'fast-check';
import { assertWithinLimits, ContentMeter } from '../../../services/configurations/limits.ts';

const text = fc.string({ unit: 'binary', maxLength: 20 });
const property = fc.record({ id: fc.nat(), key: text, value: text });
const credential = fc.option(fc.nat());
const pair = fc.record({
  id: fc.nat(),
  flowId: fc.nat(),
  sourceAuthCredentialId: credential,
  destinationAuthCredentialId: credential,
});
const content = fc.record({
  name: text,
  properties: fc.array(property, { maxLength: 10 }),
  flowCredentialPairs: fc.array(pair, { maxLength: 10 }),
});

test('a content measures what it takes as JSON, also where it shares objects with contents before it', () => {
  fc.assert(
    fc.property(fc.array(content, { minLength: 1, maxLength: 3 }), (contents) => {
      const meter = new ContentMeter();
      const properties = contents.flatMap((each) => each.properties);
      const pairs = contents.flatMap((each) => each.flowCredentialPairs);
      for (const { name } of contents) {
        for (const each of [...contents, { name, properties, flowCredentialPairs: pairs }]) {
          expect(meter.bytesOf(each)).toBe(Buffer.byteLength(JSON.stringify(each)));
        }
      }
    }),
  );
});

test('a content of 200 KiB is taken, and a longer one refused', () => {
  const contentOf = (bytes: number) => ({
    name: 'x'.repeat(
      bytes - JSON.stringify({ name: '', properties: [], flowCredentialPairs: [] }).length,
    ),
    properties: [],
    flowCredentialPairs: [],
  });
  const blamed = { count: 'key', bytes: 'value' };
  assertWithinLimits(contentOf(200 * 1024), blamed);
  expect(() => assertWithinLimits(contentOf(200 * 1024 + 1), blamed)).toThrow(
    expect.objectContaining({ code: 400, message: expect.stringMatching(/^value: /) }),
  );
});
