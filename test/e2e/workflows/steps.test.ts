import { e2e } from '../../fixtures/e2e.ts';
import type { ProblemBody } from '../../helpers/http.ts';
import { createWorkspace } from '../../helpers/people.ts';
import { createWorkflow, publishSteps, type WorkflowStep } from '../../helpers/workflows.ts';

type Steps = { revision: number; steps: WorkflowStep[]; currentRevision: number } & ProblemBody;

const { owner } = e2e();

let id: number;
const STEPS: WorkflowStep[] = [
  { key: 'first', definition: { set: { x: 1 } } },
  // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of the flow language
  { key: 'second', definition: { set: { y: '${ $steps.first.x + 1 }' } } },
];

beforeEach(async () => {
  id = await createWorkflow(owner, await createWorkspace(owner));
});

const get = () => owner.call<Steps>('GET', `/workflow/${id}/steps`);
const put = (body: object, headers = {}) =>
  owner.call<Steps>('PUT', `/workflow/${id}/steps`, { body, headers });
const refusal = async (body: object) => {
  const { status, body: problem } = await put(body);
  return [status, problem.errors?.map(({ path, code }) => [path, code])];
};

it('are none at first, and count their publications', async () => {
  expect((await get()).body).toEqual({ revision: 0, steps: [] });
  expect((await put({ steps: STEPS })).body).toEqual({ revision: 1, steps: STEPS });
  expect((await get()).body).toEqual({ revision: 1, steps: STEPS });
  expect(await publishSteps(owner, id, [])).toBe(2);
});

it('change nothing when they are sent back', async () => {
  await put({ steps: STEPS });
  const shown = await get();
  const again = await put(shown.body, { 'if-match': shown.headers.etag ?? '' });
  expect([again.status, again.body, again.headers.etag]).toEqual([
    200,
    shown.body,
    shown.headers.etag,
  ]);
});

it('are refused for a stale revision or a stale If-Match', async () => {
  await put({ steps: STEPS });
  const { status, body } = await put({ steps: [], expectedRevision: 0 });
  expect([status, body.code, body.currentRevision]).toEqual([409, 'STALE_REVISION', 1]);
  expect((await put({ steps: [], expectedRevision: 0 }, { 'if-match': '"x"' })).status).toBe(412);
  expect((await put({ steps: [], expectedRevision: 1 })).body.revision).toBe(2);
});

it('name each fault with its place', async () => {
  const steps = [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of the flow language
    { key: 'first', definition: { set: { x: '${ $steps.nobody }' } } },
    { key: 'second', definition: { call: 'http', with: { method: 'get', endpoint: 'x' } } },
    { key: 'third', definition: { do: [{ inner: { sett: { y: 1 } } }] } },
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of the flow language
    { key: 'fourth', definition: { set: { 'a.b': '${ $steps.nobody }' } } },
  ];
  const [status, places] = await refusal({ steps });
  expect([status, places]).toEqual([
    400,
    [
      ['steps.0.definition.set.x', 'UNKNOWN_STEP'],
      ['steps.1.definition.with.endpoint', 'ENDPOINT_INVALID'],
      ['steps.2.definition.do.0.inner.sett', 'UNKNOWN_KEY'],
      ['steps.3.definition.set["a.b"]', 'UNKNOWN_STEP'],
    ],
  ]);
  expect((await get()).body.revision).toBe(0);
});

it.each([
  ['the same key twice', [STEPS[0], STEPS[0]], 'steps.1.key'],
  ['a key that is no task name', [{ key: '1', definition: {} }], 'steps.0.key'],
  ['a definition that is no object', [{ key: 'a', definition: 'x' }], 'steps.0.definition'],
  ['a step without a definition', [{ key: 'a' }], 'steps.0.definition'],
  ['more than 256 KiB', [{ key: 'a', definition: { set: { x: 'x'.repeat(300_000) } } }], 'steps'],
])('are refused with %s', async (_what, steps, field) => {
  const { status, body } = await put({ steps });
  expect([status, body.errors?.map(({ path }) => path)]).toEqual([400, [field]]);
});
