import { runInNewContext } from 'node:vm';
import fc from 'fast-check';

type Parse = (text: unknown, revive?: unknown) => unknown;

const guarded = JSON.parse as Parse;
/** The function of the engine, of a realm in which nothing replaces it. */
const native: Parse = runInNewContext('JSON.parse');

/** A JSON value whose objects are lists of members, so that the order and repeated keys are known. */
type Model =
  | { scalar: string | number | boolean | null }
  | { items: Model[] }
  | { members: [string, Model][] };

const PARTS = [
  '\\',
  '"',
  '/',
  '\n',
  '\u0000',
  'u',
  '0022',
  'a',
  'é',
  '\u2028',
  '\ud83d',
  '\ude00',
  '1',
  '__proto__',
  'toString',
];
const text = fc.array(fc.constantFrom(...PARTS), { maxLength: 4 }).map((parts) => parts.join(''));
const modelOf = (key: fc.Arbitrary<string>) =>
  fc.letrec<{ model: Model }>((tie) => ({
    model: fc.oneof(
      { depthSize: 'small' },
      fc.record({
        scalar: fc.oneof(
          text,
          fc.double({ noNaN: true, noDefaultInfinity: true }),
          fc.boolean(),
          fc.constant(null),
        ),
      }),
      fc.record({ items: fc.array(tie('model'), { maxLength: 3 }) }),
      fc.record({ members: fc.array(fc.tuple(key, tie('model')), { maxLength: 5 }) }),
    ),
  })).model;
const choices = fc.infiniteStream(fc.nat(3));

/** Writes a value as JSON, with spaces and escapes by choice. */
function write(model: Model, choose: () => number): string {
  const space = () => ['', '', ' ', '\t\r\n'][choose()];
  const writeString = (value: string) =>
    `"${[...value].map((sign) => (choose() === 0 ? escapeUnits(sign) : JSON.stringify(sign).slice(1, -1))).join('')}"`;
  const writePart = (part: Model): string => {
    if ('items' in part) return `[${part.items.map(writePart).join(`${space()},`)}${space()}]`;
    if ('members' in part) {
      const members = part.members.map(
        ([key, member]) => `${space()}${writeString(key)}${space()}:${writePart(member)}`,
      );
      return `{${members.join(',')}${space()}}`;
    }
    const { scalar } = part;
    if (typeof scalar === 'string') return `${space()}${writeString(scalar)}`;
    return `${space()}${Object.is(scalar, -0) ? '-0.0' : String(scalar)}${space()}`;
  };
  return writePart(model);
}

const escapeUnits = (sign: string): string =>
  sign.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Makes the value without a parser. */
function buildValueOf(model: Model): unknown {
  if ('scalar' in model) return model.scalar;
  if ('items' in model) return model.items.map(buildValueOf);
  const object = {};
  for (const [key, member] of model.members) {
    const value = buildValueOf(member);
    Object.defineProperty(object, key, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }
  return object;
}

/** Lists the own members of all objects in their order, which a comparison of objects leaves out. */
function listMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(listMembers);
  if (typeof value !== 'object' || value === null) return value;
  return { members: Object.entries(value).map(([key, member]) => [key, listMembers(member)]) };
}

const readsAsMeant = (parse: Parse) =>
  fc.property(modelOf(text), choices, (model, stream) => {
    const read = parse(write(model, () => stream.next().value));
    expect(listMembers(read)).toEqual(listMembers(buildValueOf(model)));
  });

it('reads each key as it is meant, whatever was read before', () => {
  fc.assert(readsAsMeant(guarded), { numRuns: 3_000 });
});

it('is needed, because the engine reads escaped keys wrong; without that json-parse.ts can be deleted', () => {
  native('{"\\\\":1}');
  expect(Object.keys(native('{"\\"":1}') as object)).toEqual(['\\']);
  expect(fc.check(readsAsMeant(native), { numRuns: 3_000 }).failed).toBe(true);
});

/** What a call returns, or the name and the message of its error. */
function outcomeOf(parse: () => unknown): unknown {
  try {
    return { read: parse() };
  } catch (error) {
    const { name, message } = error as Error;
    return { name, message };
  }
}

const CHANGES = [
  '',
  '"',
  '\\',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '0',
  '-',
  '.',
  'e',
  'x',
  '\n',
  '\u0001',
  '\ufeff',
  '\\u12',
  'true',
];

it('refuses what the engine refuses, with the same words', () => {
  const place = fc.tuple(fc.nat(), fc.nat(2), fc.constantFrom(...CHANGES));
  const some = fc.array(place, { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(modelOf(text), choices, some, (model, stream, places) => {
      const whole = `{"\\"":${write(model, () => stream.next().value)}}`;
      const changed = places.reduce((current, [from, length, change]) => {
        const at = from % (current.length + 1);
        return current.slice(0, at) + change + current.slice(at + length);
      }, whole);
      expect(outcomeOf(() => void guarded(changed))).toEqual(outcomeOf(() => void native(changed)));
    }),
    { numRuns: 5_000 },
  );
});

/** Keys that the engine reads right in a realm of their own: none of them has a backslash. */
const harmless = fc.constantFrom('a', 'b', '', '1', '0', 'é"', '__proto__', 'toString');

it('calls a reviver as the engine does, with the source of each scalar', () => {
  const fresh: Parse = runInNewContext('JSON.parse');
  fc.assert(
    fc.property(
      modelOf(harmless),
      choices,
      fc.array(fc.nat(9), { maxLength: 20 }),
      (model, stream, acts) => {
        const written = `{"\\u0061":${write(model, () => stream.next().value)}}`;
        const reviveWith = (parse: Parse) => {
          const calls: unknown[] = [];
          const read = parse(
            written,
            function (this: object, key: string, value: unknown, context: unknown) {
              const act = acts[calls.length];
              calls.push([key, listMembers(value), { ...(context as object) }, Object.keys(this)]);
              if (act === 0) return undefined;
              if (act === 1) Reflect.set(this, 'b', 7);
              return act === 2 ? [value] : value;
            },
          );
          return { calls, read: listMembers(read) };
        };
        expect(reviveWith(guarded)).toEqual(reviveWith(fresh));
      },
    ),
    { numRuns: 2_000 },
  );
});

it.each([
  ['no argument', []],
  ['null', [null]],
  ['a number', [12.5]],
  ['bytes', [Buffer.from('{"\\"é":1}')]],
  ['an object with a text', [{ toString: () => '{"\\u0031":1}' }]],
  ['an object', [{}]],
  ['a symbol', [Symbol('x')]],
  ['a reviver that is no function', ['{"\\u0031":1}', 'x']],
])('takes %s as the engine does', (_, args) => {
  const call = (parse: Parse) => outcomeOf(() => listMembers(parse(...(args as [unknown]))));
  expect(call(guarded)).toEqual(call(native));
});

it('reads 100,000 levels of nesting', () => {
  const levels = 100_000;
  let value = guarded(`${'[{"\\"":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}`);
  for (let level = 0; level < levels / 2; level++) {
    value = (value as [Record<string, unknown>])[0]['"'];
  }
  expect(value).toBe(1);
});

it('reads a key of megabytes', () => {
  const [key] = Object.keys(guarded(`{"${'\\n\\\\\\"'.repeat(700_000)}":1}`) as object);
  expect(key === '\n\\"'.repeat(700_000)).toBe(true);
});

it('takes no memory for the gaps between indexes', () => {
  const text = `[{"\\n":1},${Array(20_000).fill('{"0":1,"999":1}').join(',')}]`;
  const before = process.memoryUsage().heapUsed;
  const value = JSON.parse(text);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(100e6); // 250 MB as arrays with gaps
  expect(value).toHaveLength(20_001);
});
