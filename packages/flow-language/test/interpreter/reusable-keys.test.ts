import { reusableKeys, taskPathOf } from '../../interpreter/reusable-keys.ts';
import { compile } from '../../language/compile.ts';
import type { Plan } from '../../plan.ts';

/** The file of the plan that all changes are of. */
const FILE = {
  do: [
    { before: { set: { n: 1 } } },
    {
      each: {
        for: { each: 'n', in: `\${ [1, 2] }` },
        do: [{ inner: { set: { n: `\${ $n }` } } }, { rest: { wait: { seconds: 1 } } }],
      },
    },
    {
      tried: {
        try: [{ risky: { set: { a: 1 } } }],
        catch: { do: [{ rescue: { set: { b: 1 } } }] },
      },
    },
    { sides: { fork: { branches: [{ left: { set: { l: 1 } } }, { right: { set: { r: 1 } } }] } } },
  ],
};
const KEYS = [
  '/do/0/before//1/1',
  '/do/1/each/do/0/inner/0/1/1',
  '/do/1/each/do/1/rest/1/1/1#reached',
  '/do/2/tried/try/0/risky//1/1',
  '/do/2/tried/catch/do/0/rescue//1/1',
  '/do/3/sides//1/1#decided',
  '/do/3/sides/fork/branches/0/left//1/1',
  '/do/3/sides/fork/branches/1/right//1/1',
];

function planOf(file: object): Plan {
  const { plan, faults } = compile(JSON.stringify(file));
  if (!plan) throw new Error(JSON.stringify(faults));
  return plan;
}
/** The keys that a run of the changed file may not reuse. */
function refused(change: (text: string) => string, file = JSON.stringify(FILE)): string[] {
  const isReusable = reusableKeys(planOf(FILE), planOf(JSON.parse(change(file)) as object));
  return KEYS.filter((key) => !isReusable(key));
}

test.each([
  ['/do/0/a//1/1', '/do/0/a'],
  ['/do/0/a/do/1/b/0.3/2/1', '/do/0/a/do/1/b'],
  ['/do/0/a//1/2#decided', '/do/0/a'],
  ['#0', ''],
])('the key %s is of the task %s', (key, path) => {
  expect(taskPathOf(key)).toBe(path);
});

test('all keys are of tasks of the file, and the same file reuses all of them', () => {
  const [plan, none] = [planOf(FILE), planOf({ do: [{ other: { set: { x: 1 } } }] })];
  const [same, other] = [reusableKeys(plan, plan), reusableKeys(plan, none)];
  expect(KEYS.map(same)).toEqual(KEYS.map(() => true));
  expect(KEYS.map(other)).toEqual(KEYS.map(() => false));
});

test.each([
  ['a value of a task', '"n":1', '"n":2', ['/do/0/before']],
  ['a list that is looped over', '[1, 2]', '[1, 3]', ['/do/1/each']],
  ['a task in a loop', '"seconds":1', '"seconds":2', ['/do/1/each/do/1/rest']],
  ['a name', '"risky"', '"brave"', ['/do/2/tried/try/0/risky']],
  ['a branch', '"l":1', '"l":2', ['/do/3/sides/fork/branches/0/left']],
  ['the name of a branch', '"left"', '"lost"', ['/do/3/sides']],
  [
    'a handler that catches no more',
    '{"do":[{"rescue":{"set":{"b":1}}}]}',
    '{"as":"problem"}',
    ['/do/2/tried'],
  ],
])('a change of %s is a difference of that task and of the tasks within', (_, from, to, within) => {
  const changed = refused((text) => text.replace(from, () => to));
  expect(changed).toEqual(KEYS.filter((key) => within.some((path) => key.startsWith(`${path}/`))));
});

test('a task that is put before others is a difference of all behind it', () => {
  const added = '[{"added":{"set":{"x":1}}},{"before"';
  expect(refused((text) => text.replace('[{"before"', added))).toEqual(KEYS);
});

test('a task that is put at the end is no difference', () => {
  expect(refused((text) => text.replace(/\]\}$/, ',{"added":{"set":{"x":1}}}]}'))).toEqual([]);
});
