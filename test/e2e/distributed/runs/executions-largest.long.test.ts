import { e2e } from '../../../fixtures/e2e.ts';
import { endOf } from '../../../helpers/runs.ts';
import { execute, type WorkflowStep } from '../../../helpers/workflows.ts';

const { owner, workspace } = e2e();

/** Steps of a workflow, and bytes of its flow file. Beyond either the publication is refused. */
const MAX_STEPS = 500;
const MAX_FILE_BYTES = 256 * 1024;
const MAX_INPUT_BYTES = 240 * 1024;

/** The definition of a step that takes that many bytes as JSON. Each quote is escaped once more on its way. */
function definitionOf(bytes: number): { set: { v: string } } {
  const around = JSON.stringify({ set: { v: '' } }).length;
  return { set: { v: '"'.repeat(Math.floor((bytes - around) / 2)) } };
}

test('the most and largest steps run with the largest input', async () => {
  const keyOf = (n: number) => `step-${n}`;
  const aroundStep = `{"${keyOf(MAX_STEPS)}":},`.length;
  const each = Math.floor((MAX_FILE_BYTES - '{"do":[]}'.length) / MAX_STEPS) - aroundStep;
  const steps = Array.from({ length: MAX_STEPS }, (_, n): WorkflowStep => {
    return { key: keyOf(n), definition: definitionOf(each) };
  });
  const workflowId = await workspace.workflow(steps);
  const input = 'i'.repeat(MAX_INPUT_BYTES - 2);
  const { status, body } = await execute(owner, workflowId, { body: { input } });
  expect(status).toBe(202);
  const ended = await endOf(owner, body.id);
  const { set: output } = definitionOf(each);
  expect(ended).toMatchObject({ status: 'SUCCESS', error: null, output });
}, 120_000);
