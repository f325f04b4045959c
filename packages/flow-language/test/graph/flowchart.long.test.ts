import fc from 'fast-check';
import { readValidFlows } from '../../../../test/flows/corpus.ts';
import { drawFlowchart } from '../../graph/flowchart.ts';
import { MermaidText } from '../../graph/mermaid-text.ts';
import { compile } from '../../language/compile.ts';
import type { Plan, Task } from '../../plan.ts';
import { MermaidParser, type ReadChart } from './mermaid-parser.ts';

let parser: MermaidParser;
beforeAll(() => {
  parser = new MermaidParser();
});
afterAll(() => parser.stop());

function planOf(text: string): Plan {
  const { plan, faults } = compile(text);
  if (!plan) throw new Error(JSON.stringify(faults));
  return plan;
}

async function read(text: string): Promise<ReadChart> {
  const chart = await parser.read(text);
  if (chart.error !== undefined) throw new Error(`${chart.error}\n${text}`);
  return chart;
}

/** The chart of a file, with nodes named by the first line of their labels. */
async function chartOf(text: string): Promise<string[]> {
  const { nodes, edges } = await read(drawFlowchart(planOf(text)));
  const names = new Map(nodes.map(({ id, label }) => [id, label.split('<br/>')[0]?.trim() || '*']));
  return edges
    .map(({ start, end, label }) =>
      [names.get(start), names.get(end), ...(label ? [decode(label)] : [])].join(' > '),
    )
    .sort();
}

/** Mermaid keeps the escape of a character in this form until it draws the label. */
const decode = (label: string): string =>
  label.replace(/ﬂ°°(\d+)¶ß/g, (_, code) => String.fromCodePoint(Number(code)));

function namesOf(tasks: readonly Task[]): string[] {
  return tasks.flatMap((task) => {
    if (task.kind === 'fork') return namesOf(task.branches);
    if (task.kind === 'try') return namesOf([...task.tasks, ...(task.catch.tasks ?? [])]);
    return task.kind === 'do' || task.kind === 'for' ? namesOf(task.tasks) : [task.name];
  });
}

test('Mermaid reads the chart of every valid flow of the corpus, and finds each task in it', async () => {
  const flows = readValidFlows();
  expect(flows.length).toBeGreaterThan(50);
  for (const { text } of flows) {
    const plan = planOf(text);
    const { nodes } = await read(drawFlowchart(plan));
    const labels = nodes.map(({ label }) => label.split('<br/>')[0]);
    const names = namesOf(plan.tasks);
    if (names.length < 150) expect(labels).toEqual(expect.arrayContaining(names));
  }
});

test('a label may have any characters', async () => {
  const line = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 80 }),
    fc.constantFrom(
      'end',
      '`md`',
      '"]',
      '%% x',
      '#quot;',
      '1. a',
      '- a',
      '-->|x|',
      '\n',
      '<b>',
      '}}',
    ),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 3 }), line, async (label, edge) => {
      const text = new MermaidText();
      const node = text.addGroup([edge], () => text.addNode('diamond', ...label));
      text.addEdge(node, text.addNode('box', 'plain'), edge);
      const { nodes, edges } = await read(text.toString());
      expect([nodes.length, edges.length]).toEqual([2, 1]);
    }),
    { numRuns: 60 },
  );
});

test('tasks follow one another, and jumps go where they say', async () => {
  const chart = await chartOf(`
do:
  - first: { set: { x: 1 }, then: third }
  - second: { set: { x: 2 }, then: end }
  - third: { if: '\${ $.x = 1 }', set: { x: 3 }, then: second }
  - fourth: { set: { x: 4 }, then: exit }
`);
  expect(chart).toEqual(
    [
      'start > first',
      'first > third',
      'second > end',
      'third > second',
      'third > fourth > skipped',
      'fourth > end',
    ].sort(),
  );
});

test('a switch goes on by its cases, and otherwise with the next task', async () => {
  const chart = await chartOf(`
do:
  - route:
      switch:
        - none: { when: '\${ $.n = 0 }', then: end }
        - some: { when: '\${ $.n > 0 }', then: last }
  - middle: { set: { x: 1 } }
  - last: { raise: { error: { type: 'https://example.com/e', status: 400 } } }
`);
  expect(chart).toEqual(
    [
      'start > route',
      'route > end > none: $.n = 0',
      'route > last > some: $.n > 0',
      'route > middle > otherwise',
      'middle > last',
    ].sort(),
  );
});

test('loops, branches and handlers of errors have their own edges', async () => {
  const chart = await chartOf(`
do:
  - each: { for: { in: '\${ $.list }' }, do: [{ round: { set: { x: 1 } } }] }
  - both: { fork: { branches: [{ left: { set: { x: 1 } } }, { right: { wait: PT1S } }] } }
  - safe:
      try: [{ risky: { set: { x: 1 } } }]
      catch:
        errors: { with: { status: 503 } }
        retry: { delay: { seconds: 2 }, limit: { attempt: { count: 3 } } }
        do: [{ mend: { set: { x: 2 } } }]
  - calm: { try: [{ again: { set: { x: 1 } } }], catch: {} }
`);
  expect(chart).toEqual(
    expect.arrayContaining([
      '* > round',
      'round > *',
      '* > * > next round',
      '* > left',
      '* > right',
      'left > *',
      '* > * > retry up to 3 times after 2 s',
      '* > * > error 503',
      '* > mend',
      'mend > *',
      '* > * > error',
    ]),
  );
});

test('a flow that is too large for Mermaid is drawn with less detail', async () => {
  const name = (n: number) => `task${n}`.padEnd(60, 'x');
  const set = (n: number) => ({ [name(n)]: { set: { x: 1 } } });
  const many = Array.from({ length: 495 }, (_, n) => set(n));
  const when = `\${ $.x = "${'é😀'.repeat(40)}" }`;
  const cases = Array.from({ length: 300 }, (_, n) => ({ [`case${n}`]: { when, goto: 'end' } }));
  const routes = Array.from({ length: 20 }, (_, n) => ({
    [`route${n}`]: { switch: cases.slice(0, 30) },
  }));
  const flows = [
    many,
    [{ all: { fork: { branches: many } } }],
    [{ all: { do: many } }, { last: { set: { x: 1 } } }],
    [{ route: { switch: cases } }],
    routes,
  ].map((tasks) => JSON.stringify({ do: tasks }).replaceAll('"goto"', '"then"'));
  for (const flow of flows) {
    const { nodes, edges } = await read(drawFlowchart(planOf(flow)));
    expect(nodes.length).toBeGreaterThan(2);
    expect(edges.length).toBeLessThanOrEqual(500);
  }
});
