import fc from 'fast-check';
import { parse } from 'yaml';
import { e2e } from '../../fixtures/e2e.ts';
import { runToEnd } from '../../helpers/runs.ts';
import { execute, publishSteps } from '../../helpers/workflows.ts';

const { owner, workspace } = e2e();

let id: number;
beforeAll(async () => {
  id = await workspace.workflow();
});

const getText = () => owner.call('GET', `/workflow/${id}/text`);

it('is YAML, and as a flow it does the same', async () => {
  const steps = [
    { key: 'first', definition: { set: { list: [1, 2, 3], text: 'yes: no\n# kept' } } },
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of the flow language
    { key: 'second', definition: { set: { sum: '${ $sum($steps.first.list) }' } } },
  ];
  await publishSteps(owner, id, steps);
  const { headers, text } = await getText();
  expect(headers['content-type']).toBe('application/yaml; charset=utf-8');
  expect(text).toMatch(/^do:\n {2}- first:\n/);
  const flowId = await workspace.flow(text);
  const run = await runToEnd(owner, flowId);
  const { body: execution } = await execute(owner, id, { query: { wait: 20_000 } });
  expect([run.status, run.output]).toEqual([execution.status, execution.output]);
});

it('says what the definitions say, whatever is in them', async () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.constantFrom(
      'yes',
      'null',
      '1e3',
      '- x',
      'a: b',
      '#',
      '~',
      '"',
      "'",
      '\n',
      ' x ',
      '=',
      '&a',
    ),
  );
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(null, true, false),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      text,
      fc.array(tie('json'), { maxLength: 4 }),
      fc.dictionary(text, tie('json'), { maxKeys: 4 }),
    ),
  }));
  await fc.assert(
    fc.asyncProperty(json, async (value) => {
      const definition = { set: { value: JSON.parse(JSON.stringify(value).replaceAll('$', '')) } };
      const { status } = await owner.call('PUT', `/workflow/${id}/steps`, {
        body: { steps: [{ key: 'a', definition }] },
      });
      fc.pre(status === 200); // a key that the language refuses, such as `<<`
      expect(parse((await getText()).text)).toEqual({ do: [{ a: definition }] });
    }),
    { seed: 20_261_123, numRuns: 60 },
  );
});

it('that would be longer than a flow file may be stays JSON, which is YAML as well', async () => {
  const value = Array.from({ length: 18_000 }, (_, n) => n % 10);
  const definition = { do: [{ x: { do: [{ y: { do: [{ z: { set: { value } } }] } }] } }] };
  await publishSteps(owner, id, [{ key: 'a', definition }]);
  const { text } = await getText();
  expect([text.startsWith('{"do":'), JSON.parse(text)]).toEqual([
    true,
    { do: [{ a: definition }] },
  ]);
});
