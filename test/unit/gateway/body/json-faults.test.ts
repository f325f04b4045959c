import { MOST_FAULTS } from '../../../../contract/problem.ts';
import { jsonFaults } from '../../../../mixins/gateway/body/json-faults.ts';

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
