// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${ }` is the flow language's own

import { e2e } from '../../fixtures/e2e.ts';
import type { ProblemBody } from '../../helpers/http.ts';
import {
  click,
  createRecording,
  key,
  move,
  type RecordedStep,
  record,
} from '../../helpers/recordings.ts';
import { endOf, stepsOf } from '../../helpers/runs.ts';
import { execute } from '../../helpers/workflows.ts';

const { owner, workspace } = e2e();

let id: number;

beforeEach(async () => {
  ({ id } = await createRecording(owner, workspace.id));
});

const getSteps = (headers = {}) =>
  owner.call<{ steps: RecordedStep[] } & ProblemBody>('GET', `/recordings/${id}/steps`, {
    headers,
  });
const actionsOf = async () =>
  (await getSteps()).body.steps.map((step) => step.definition.set.action);

/** Publishes the steps of the recording as those of a workflow. */
async function publish(): Promise<number> {
  const workflowId = await workspace.workflow();
  const { body } = await getSteps();
  const { status, text } = await owner.call('PUT', `/workflow/${workflowId}/steps`, { body });
  expect([status, text]).toEqual([200, expect.stringMatching(/"revision":[01]/)]);
  return workflowId;
}

it('are none without events, and for movements that take no time', async () => {
  expect((await getSteps()).body).toEqual({ steps: [] });
  await record(owner, id, 1, [move(1, 1, 0)]);
  expect((await getSteps()).body).toEqual({ steps: [] });
  await publish();
});

it('are made of the events of all batches', async () => {
  await record(owner, id, 1, [move(1, 1, 30), click(250, 125, 20), key('H', 900)]);
  await record(owner, id, 2, [
    key('i', 100),
    key('Enter', 50),
    { type: 'DRAG', afterMs: 10, x: 0, y: 0, toX: 500, toY: 250 },
  ]);
  await owner.call('POST', `/recordings/${id}/finish`);
  const pointer = { x: 250, y: 125, nx: 0.25, ny: 0.25 };
  const { body, headers } = await getSteps();
  expect(body.steps.map(({ key }) => key)).toEqual([
    'step-0001',
    'step-0002',
    'step-0003',
    'step-0004',
  ]);
  expect(await actionsOf()).toEqual([
    { type: 'CLICK', ...pointer, button: 'LEFT', afterMs: 50, durationMs: 0 },
    { type: 'TEXT', ...pointer, text: 'Hi', afterMs: 900, durationMs: 100 },
    { type: 'KEY', ...pointer, key: 'Enter', afterMs: 50, durationMs: 0 },
    {
      ...{ type: 'DRAG', x: 0, y: 0, nx: 0, ny: 0 },
      ...{ toX: 500, toY: 250, ntoX: 0.5, ntoY: 0.5, button: 'LEFT' },
      ...{ afterMs: 10, durationMs: 0 },
    },
  ]);
  const cached = await getSteps({ 'if-none-match': headers.etag ?? '' });
  expect([cached.status, cached.text]).toEqual([304, '']);
});

it('are the steps of a workflow that gives back what was typed, whatever it was', async () => {
  const typed = '${ 1 + 1 } $${ $$ {{ x }} $input.a "quoted" \u0001 \t 👋🏽';
  await record(owner, id, 1, [
    { type: 'TEXT', afterMs: 1, text: typed },
    ...[...'${x}'].map((character) => key(character)),
  ]);
  const workflowId = await publish();
  const { body: started } = await execute(owner, workflowId);
  const { status, output } = await endOf(owner, started.id);
  expect([status, output]).toEqual([
    'SUCCESS',
    { action: expect.objectContaining({ text: '${x}' }) },
  ]);
  const [first] = await stepsOf(owner, started.id);
  expect(first?.output).toEqual({ action: expect.objectContaining({ text: typed }) });
});

it('show masked input without its text', async () => {
  const masked = { type: 'KEY', masked: true, key: 'p', afterMs: 1 };
  await record(owner, id, 1, [
    masked,
    masked,
    { ...masked, type: 'TEXT', key: undefined, text: 'secret' },
  ]);
  await record(owner, id, 2, [masked]);
  const action = { type: 'TEXT', masked: true, afterMs: 1 };
  expect(await actionsOf()).toEqual([
    { ...action, durationMs: 1 },
    { ...action, durationMs: 0 },
    { ...action, durationMs: 0 },
  ]);
  await publish();
});

it('are 500 at most', async () => {
  await record(
    owner,
    id,
    1,
    Array.from({ length: 500 }, (_, n) => click(n, n / 3)),
  );
  expect((await getSteps()).body.steps).toHaveLength(500);
  await publish();
  await record(owner, id, 2, [click(1)]);
  const { status, body } = await getSteps();
  expect([status, body.code]).toEqual([409, 'RECORDING_TOO_LONG']);
});

it('take 256 KiB at most', async () => {
  const text = { type: 'TEXT', afterMs: 0, text: 'x'.repeat(10_000) };
  await record(owner, id, 1, [...Array(25).fill(text), { ...text, text: 'x'.repeat(9_000) }]);
  expect((await getSteps()).status).toBe(200);
  await publish();
  await record(owner, id, 2, [{ ...text, text: 'y'.repeat(1_000) }]);
  const { status, body } = await getSteps();
  expect([status, body.code]).toEqual([409, 'RECORDING_TOO_LONG']);
});
