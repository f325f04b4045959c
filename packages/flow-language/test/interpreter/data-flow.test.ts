import { interpret } from '../../interpreter/interpret.ts';
import type { Json } from '../../plan.ts';
import { output, plan, TestHost, toEnd } from './test-host.ts';

const withInput = (input: Json) => Object.assign(new TestHost(), { input: JSON.stringify(input) });

describe('data flow', () => {
  test.each([
    [
      'a set gives its members',
      'do: [{ a: { set: { n: 1, u: "#{ missing }", z: null } } }]',
      { n: 1, z: null },
    ],
    [
      'each output is the next input',
      'do: [{ a: { set: { n: 1 } } }, { b: { set: { m: "#{ n + 1 }" } } }]',
      { m: 2 },
    ],
    [
      'input.from transforms what the task sees',
      'do: [{ a: { input: { from: { x: 5 } }, set: { y: "#{ x }" } } }]',
      { y: 5 },
    ],
    [
      'output.as transforms what it gives',
      'do: [{ a: { set: { n: 1 }, output: { as: "#{ n + 1 }" } } }]',
      2,
    ],
    [
      'an output may be missing',
      'do: [{ a: { set: { n: 1 }, output: { as: "#{ gone }" } } }, { b: { set: { e: "#{ $exists($) }", s: "#{ $exists($steps.a) }" } } }]',
      { e: false, s: false },
    ],
    [
      'export.as replaces the context',
      'do: [{ a: { set: { n: 1 }, export: { as: { c: "#{ n }" } } } }, { b: { set: { c: "#{ $context.c }" } } }]',
      { c: 1 },
    ],
    [
      'a context of null stays null',
      'do: [{ a: { set: { n: 1 }, export: { as: "#{ null }" } } }, { b: { set: { c: "#{ $context }" } } }]',
      { c: null },
    ],
    ['the context is empty at first', 'do: [{ a: { set: { c: "#{ $context }" } } }]', { c: {} }],
    [
      'export.as sees the transformed output',
      'do: [{ a: { set: { n: 1 }, output: { as: { m: 2 } }, export: { as: "#{ $ }" } } }, { b: { set: { c: "#{ $context }" } } }]',
      { c: { m: 2 } },
    ],
    [
      'steps are seen by name',
      'do: [{ a: { set: { n: 1 } } }, { b-c: { set: { n: 2 } } }, { d: { set: { s: "#{ $steps.a.n + $steps.`b-c`.n }" } } }]',
      { s: 3 },
    ],
    [
      'a skipped task passes its input on and ignores its then',
      'do: [{ a: { set: { n: 1 } } }, { b: { if: "#{ n = 2 }", set: { n: 9 }, then: end } }, { c: { set: { n: "#{ n }", b: "#{ $exists($steps.b) }" } } }]',
      { n: 1, b: false },
    ],
    [
      'if sees the raw input',
      'do: [{ a: { set: { n: 1 } } }, { b: { if: "#{ n = 1 }", input: { from: {} }, set: { m: 1 } } }]',
      { m: 1 },
    ],
    [
      'an empty list and a wait pass their input on',
      'do: [{ a: { set: { n: 1 } } }, { b: { do: [] } }, { c: { wait: { seconds: 1 } } }]',
      { n: 1 },
    ],
    [
      'a composite gives its last output',
      'do: [{ a: { do: [{ b: { set: { n: 1 } } }] } }, { c: { set: { x: "#{ n + $steps.a.n + $steps.b.n }" } } }]',
      { x: 3 },
    ],
    [
      'text around an expression makes a string',
      'do: [{ a: { set: { t: "n=#{ 1 } u=#{ gone } o=#{ {\\"a\\": 1} }" } } }]',
      { t: 'n=1 u= o={"a":1}' },
    ],
    [
      'results are never evaluated again',
      'do: [{ a: { set: { t: "#{ \\"$\\" & \\"{ 1 }\\" }" } } }, { b: { set: { t: "#{ t }" } } }]',
      { t: ['$', '{ 1 }'].join('') },
    ],
  ])('%s', async (_, text, expected) => {
    expect(await output(text)).toEqual(expected);
  });

  test('the top transforms the input of the first task and the output of the last', async () => {
    const text =
      'input: { from: { a: "#{ x }" } }\noutput: { as: { out: "#{ $ }" } }\ndo: [{ t: { set: { v: "#{ a }", i: "#{ $input }" } } }]';
    expect(await output(text, withInput({ x: 1 }))).toEqual({ out: { v: 1, i: { x: 1 } } });
  });

  test('an output that is missing at the end is null', async () => {
    expect(await output('output: { as: "#{ gone }" }\ndo: [{ t: { set: { n: 1 } } }]')).toBeNull();
  });

  test('expressions see the run and the properties', async () => {
    const host = Object.assign(new TestHost(), { properties: '{"key":"v"}' });
    const text = 'do: [{ t: { set: { r: "#{ $run }", p: "#{ $properties.key }" } } }]';
    expect(await output(text, host)).toEqual({ r: host.run, p: 'v' });
  });

  test('keys of prototypes are keys', async () => {
    const text = 'do: [{ t: { set: { __proto__: 1, constructor: "#{ 2 }" } } }, { u: { do: [] } }]';
    expect(JSON.stringify(await output(text))).toBe('{"__proto__":1,"constructor":2}');
  });

  test('literals need no evaluator', async () => {
    const host = new TestHost();
    host.evaluator = {
      evaluate: () => Promise.reject(new Error()),
      test: () => Promise.reject(new Error()),
    };
    const outcome = await interpret(plan('do: [{ a: { set: { n: [1, { m: x }] } } }]'), host);
    expect(outcome).toEqual({ kind: 'succeeded', output: { n: [1, { m: 'x' }] } });
  });
});

describe('jumps', () => {
  test.each([
    [
      'then goes to a sibling',
      'do: [{ a: { set: { n: 1 }, then: c } }, { b: { set: { n: 2 } } }, { c: { set: { m: "#{ n }" } } }]',
      { m: 1 },
    ],
    [
      'then goes back',
      'do: [{ a: { set: { n: "#{ ($exists(n) ? n : 0) + 1 }" } } }, { b: { if: "#{ n < 3 }", do: [], then: a } }]',
      { n: 3 },
    ],
    [
      'exit ends the nearest list',
      'do: [{ a: { do: [{ b: { set: { n: 1 }, then: exit } }, { c: { set: { n: 2 } } }] } }, { d: { set: { m: "#{ n }" } } }]',
      { m: 1 },
    ],
    [
      'end ends the flow from within',
      'do: [{ a: { do: [{ b: { set: { n: 1 }, then: end } }] } }, { d: { set: { m: 2 } } }]',
      { n: 1 },
    ],
    [
      'switch takes the first case that holds',
      'do: [{ s: { switch: [{ x: { when: "#{ false }", then: a } }, { y: { when: "#{ true }", then: b } }, { z: { when: "#{ true }", then: a } }] } }, { a: { set: { r: a }, then: end } }, { b: { set: { r: b } } }]',
      { r: 'b' },
    ],
    [
      'the default stands anywhere',
      'do: [{ s: { switch: [{ d: { then: b } }, { y: { when: "#{ true }", then: a } }] } }, { b: { set: { r: b }, then: end } }, { a: { set: { r: a } } }]',
      { r: 'a' },
    ],
    [
      'the default is taken when no case holds',
      'do: [{ s: { switch: [{ d: { then: b } }, { y: { when: "#{ false }", then: a } }] } }, { a: { set: { r: a }, then: end } }, { b: { set: { r: b } } }]',
      { r: 'b' },
    ],
    [
      'no case and no default goes on',
      'do: [{ i: { set: { r: 0 } } }, { s: { switch: [{ y: { when: "#{ false }", then: end } }] } }, { a: { set: { q: "#{ r }" } } }]',
      { q: 0 },
    ],
  ])('%s', async (_, text, expected) => {
    expect(await output(text)).toEqual(expected);
  });
});

describe('for', () => {
  test.each([
    [
      'each round has the output of the last',
      'do: [{ i: { set: { s: 0 } } }, { f: { for: { in: "#{ [1, 2, 3] }" }, do: [{ a: { set: { s: "#{ s + $item }", i: "#{ $index }" } } }] } }]',
      { s: 6, i: 2 },
    ],
    [
      'names its variables',
      'do: [{ f: { for: { each: x, at: k, in: "#{ [5] }" }, do: [{ a: { set: { v: "#{ [$x, $k] }" } } }] } }]',
      { v: [5, 0] },
    ],
    [
      'undefined is no round',
      'do: [{ i: { set: { s: 0 } } }, { f: { for: { in: "#{ gone }" }, do: [{ a: { set: { s: 1 } } }] } }]',
      { s: 0 },
    ],
    [
      'what is no list is one round',
      'do: [{ f: { for: { in: "#{ {\\"a\\": 1} }" }, do: [{ a: { set: { s: "#{ $item.a }" } } }] } }]',
      { s: 1 },
    ],
    [
      'exit ends the round',
      'do: [{ f: { for: { in: "#{ [1, 2] }" }, do: [{ a: { set: { s: "#{ $item }" }, then: exit } }, { b: { set: { s: 9 } } }] } }]',
      { s: 2 },
    ],
    [
      'end in a round ends the flow',
      'do: [{ f: { for: { in: "#{ [1, 2] }" }, do: [{ a: { set: { s: "#{ $item }" }, then: end } }] } }, { z: { set: { z: 1 } } }]',
      { s: 1 },
    ],
    [
      'while ends it',
      'do: [{ f: { for: { in: "#{ [1..9] }" }, while: "#{ $not($exists($steps.a)) or $steps.a.s < 3 }", do: [{ a: { set: { s: "#{ $item }" } } }] } }]',
      { s: 3 },
    ],
    [
      "a round sees its own steps only, what follows the last round's",
      'do: [{ f: { for: { in: "#{ [1, 2] }" }, do: [{ r: { set: { seen: "#{ $exists($steps.w) }" } } }, { w: { if: "#{ $item = 1 }", set: { w: 1 } } }, { k: { set: { seen: "#{ $steps.r.seen }" } } }] } }, { z: { set: { a: "#{ $steps.k.seen }", w: "#{ $exists($steps.w) }" } } }]',
      { a: false, w: false },
    ],
    [
      'loops nest',
      'do: [{ i: { set: { s: "" } } }, { f: { for: { each: x, in: "#{ [1, 2] }" }, do: [{ g: { for: { each: y, at: j, in: "#{ [3, 4] }" }, do: [{ a: { set: { s: "#{ s & $x & $y & \\" \\" }" } } }] } }] } }]',
      { s: '13 14 23 24 ' },
    ],
  ])('%s', async (_, text, expected) => {
    expect(await output(text)).toEqual(expected);
  });
});

test('steps are told of with their place in the run', async () => {
  const host = new TestHost();
  const text =
    'do: [{ f: { for: { in: "#{ [1, 2] }" }, do: [{ a: { set: { n: "#{ ($exists(n) and $index = 0 ? n : 0) + 1 }" } } }, { b: { if: "#{ $index = 0 and n < 2 }", do: [], then: a } }] } }]';
  await toEnd(plan(text), host);
  expect(host.steps.map(({ position, status }) => `${position.key} ${status}`)).toEqual([
    '/do/0/f/do/0/a/0/1/1 SUCCESS',
    '/do/0/f/do/1/b/0/1/1 SUCCESS',
    '/do/0/f/do/0/a/0/2/1 SUCCESS',
    '/do/0/f/do/1/b/0/2/1 SKIPPED',
    '/do/0/f/do/0/a/1/1/1 SUCCESS',
    '/do/0/f/do/1/b/1/1/1 SKIPPED',
    '/do/0/f//1/1 SUCCESS',
  ]);
});
