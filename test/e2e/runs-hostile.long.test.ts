import { e2e } from '../fixtures/e2e.ts';
import { createWorkspace, registerVerified } from '../helpers/people.ts';
import { createFlow, endOf, getRun, runToEnd, startRun } from '../helpers/runs.ts';

const { server, owner: ada, workspace } = e2e({ own: true });

const setTo = (expression: string) =>
  `do:\n  - bomb: { set: { x: ${JSON.stringify(`\${ ${expression} }`)} } }\n`;

const BOMBS: [string, string, string[]][] = [
  ['loops for ever', '($f := function($n){ $f($n + 1) }; $f(0))', ['EXPRESSION_TIMEOUT']],
  [
    'takes all memory',
    "($f := function($s){ $f($s & $s) }; $f('xxxxxxxx'))",
    ['EXPRESSION_OUT_OF_MEMORY', 'EXPRESSION_TIMEOUT', 'EXPRESSION_FAILED'],
  ],
  [
    'takes all memory in a list',
    '($f := function($a){ $f($append($a, $a)) }; $f([1,2,3,4]))',
    ['EXPRESSION_OUT_OF_MEMORY', 'EXPRESSION_TIMEOUT', 'EXPRESSION_FAILED'],
  ],
  [
    'backtracks',
    "$match('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!', /^(a+)+$/)",
    ['EXPRESSION_TIMEOUT'],
  ],
];

test.each(BOMBS)('an expression that %s fails its own run', async (_what, expression, codes) => {
  const run = await runToEnd(ada, await workspace.flow(setTo(expression)));
  expect(run.status).toBe('FAILED');
  expect(codes).toContain(run.error?.title);
  expect(run.error?.instance).toBe('/do/0/bomb');
});

test('while bombs go off, all other runs go on', async () => {
  const fine = await workspace.flow(`do:\n  - a: { set: { n: '\${ $input.n * 2 }' } }\n`);
  const bombs = await Promise.all(
    BOMBS.map(async ([, expression]) => workspace.flow(setTo(expression))),
  );
  const exploding = await Promise.all(
    [...bombs, ...bombs].map(async (flowId) => (await startRun(ada, flowId)).body.id),
  );
  for (let n = 0; n < 10; n++) {
    const run = await runToEnd(ada, fine, { n });
    expect([run.status, run.output]).toEqual(['SUCCESS', { n: n * 2 }]);
    expect((await ada.call('GET', '/health/live')).status).toBe(200);
  }
  for (const id of exploding) expect((await endOf(ada, id)).status).toBe('FAILED');
});

test('loops of costly expressions in one workspace hold up no other', async () => {
  const costly = `\${ $sum([1..20000].($ * 2)) }`;
  const eve = await registerVerified(server.url, 'Eve');
  const loop = await createFlow(
    eve,
    await createWorkspace(eve),
    `do:\n  - again: { set: { x: '${costly}' } }\n  - back: { set: { b: 1 }, then: again }\n`,
  );
  const loops: number[] = [];
  for (let n = 0; n < 20; n++) loops.push((await startRun(eve, loop)).body.id);
  const flowId = await workspace.flow(
    `do:\n${[1, 2, 3, 4, 5].map((n) => `  - s${n}: { set: { n: '\${ $input.n }' } }\n`).join('')}`,
  );
  expect((await runToEnd(ada, flowId, { n: 1 })).status).toBe('SUCCESS');
  const first = await getRun(eve, loops[0] ?? 0);
  expect([first.status, first.error]).toEqual(['RUNNING', null]);
  for (const id of loops) await eve.call('POST', `/flows/runs/${id}/cancel`);
  for (const id of loops) await endOf(eve, id);
});

test('inputs that take for ever to check hold up no start in another workspace', async () => {
  const schema = (document: string) =>
    `input: { schema: { format: json, document: ${document} } }\ndo:\n  - a: { set: { n: 1 } }\n`;
  const eve = await registerVerified(server.url, 'Eve');
  const bomb = await createFlow(eve, await createWorkspace(eve), schema("{ pattern: '^(a+)+$' }"));
  const fine = await workspace.flow(schema('{ type: object }'));
  let answered = 0;
  const bombs = Array.from({ length: 12 }, async (_, n) => {
    const answer = await startRun(eve, bomb, { input: `${'a'.repeat(40 + n)}!` });
    answered++;
    return answer;
  });
  expect((await runToEnd(ada, fine, { n: 1 })).status).toBe('SUCCESS');
  expect(answered).toBeLessThan(12); // it did not wait for them

  const ends = (await Promise.all(bombs)).map(({ status, body }) => [
    status,
    (body as unknown as { code: string }).code,
  ]);
  expect(ends).toContainEqual([400, 'INPUT_REFUSED']);
  for (const end of ends) {
    expect([
      [400, 'INPUT_REFUSED'],
      [429, 'TOO_MANY_STARTS'],
      [504, 'DEADLINE_PASSED'],
    ]).toContainEqual(end);
  }
  expect((await startRun(eve, bomb, { input: `${'a'.repeat(40)}!` })).status).toBe(400);
});

test('a loop without an end fails by its limit', async () => {
  const loop = 'do:\n  - again: { set: { a: 1 }, then: again }\n';
  const { body } = await startRun(ada, await workspace.flow(loop));
  const run = await endOf(ada, body.id, 280_000); // 10,000 rounds, each with a step that is stored
  expect([run.status, run.error?.title]).toEqual(['FAILED', 'LOOP_LIMIT']);
}, 300_000);

test('outputs that grow without an end fail by their limit', async () => {
  const flowId = await workspace.flow(
    `do:\n  - start: { set: { s: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx } }\n  - grow: { set: { s: '\${ $.s & $.s }' }, then: grow }\n`,
  );
  const run = await runToEnd(ada, flowId);
  expect([run.status, run.error?.title]).toEqual(['FAILED', 'OUTPUT_TOO_LARGE']);
});
