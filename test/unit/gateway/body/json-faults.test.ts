import fc from 'fast-check';
import { MOST_FAULTS } from '../../../../contract/problem.ts';
import { jsonFaults } from '../../../../mixins/gateway/body/json-faults.ts';
import { parseJson } from '../../../../mixins/gateway/body/parse-json.ts';

const found = (text: string) =>
  jsonFaults(JSON.parse(text)).map(({ path, code }) => `${path} ${code}`);

it('names the path of each fault', () => {
  expect(
    found(
      '{"a":[0,{"b":["x","\\u0000"]}],"c":1e999,"d":{"__proto__":0,"\\ud800":1},"e":"\\ud800"}',
    ),
  ).toEqual([
    'a.1.b.1 forbidden_character',
    'c invalid_type',
    'd.__proto__ forbidden_key',
    'd.\ufffd forbidden_key',
    'e forbidden_character',
  ]);
});

it('looks at no value once it has found as many faults as are told', () => {
  let looks = 0;
  const list = new Proxy(Array<string>(100_000).fill('\0'), {
    get(target, key) {
      if (typeof key === 'string' && /^\d+$/.test(key)) looks++;
      return Reflect.get(target, key);
    },
  });
  expect(jsonFaults(list)).toHaveLength(MOST_FAULTS);
  expect(looks).toBe(MOST_FAULTS);
});

it('makes no path and lists no keys for a long list without a fault', () => {
  let listings = 0;
  const list = new Proxy(Array<number>(1_000).fill(0), {
    ownKeys(target) {
      listings++;
      return Reflect.ownKeys(target);
    },
  });
  expect(jsonFaults(list)).toEqual([]);
  expect(listings).toBe(0);
});

/** JSON texts of values with and without faults, and of keys. */
const SCALARS = [
  ...['0', '-1.5', '1e3', '1e999', '-1E+400', '9'.repeat(310), `${'9'.repeat(300)}e9`, '1e-999'],
  ...['""', '"e999"', '"\\u0000"', '"\\\\u0000"', '"\\uD800"', '"\\ud83d\\ude00"', '"\\udE00x"'],
  ...['true', 'false', 'null'],
];
const KEYS = ['a', 'b', '__proto__', '\\u005f_proto__', '\\u0000', '\\uDBFF', 'proto'];
const { text } = fc.letrec<{ text: string }>((tie) => ({
  text: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(...SCALARS),
    fc.array(tie('text'), { maxLength: 3 }).map((items) => `[ ${items.join(', ')} ]`),
    fc
      .array(fc.tuple(fc.constantFrom(...KEYS), tie('text')), { maxLength: 3 })
      .map((members) => `{${members.map(([key, value]) => `"${key}":${value}`).join(',')}}`),
  ),
}));

it('has its place among the faults of every body, however the value is written', () => {
  fc.assert(
    fc.property(text, (json) => {
      const faults = jsonFaults(JSON.parse(json));
      expect(parseJson(Buffer.from(json), {}, () => []).faults.slice(0, faults.length)).toEqual(
        faults,
      );
    }),
    { numRuns: 1_000 },
  );
});
