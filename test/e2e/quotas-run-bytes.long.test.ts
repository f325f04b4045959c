import { e2e } from '../fixtures/e2e.ts';
import type { Answer, ProblemBody } from '../helpers/http.ts';
import { createWorkspace } from '../helpers/people.ts';
import { createFlow, getRun, runToEnd, startRun } from '../helpers/runs.ts';
import { waitFor } from '../helpers/wait.ts';

const RESTING = 'do:\n  - rest: { wait: { days: 1 } }\n';
// biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of the flow language
const KEEPING = 'do:\n  - keep: { set: { kept: "${ $input.text }" } }\n';

/** Two steps of about 30 KiB, then a day of rest. */
const KEEPING_AND_RESTING = `do:
  - first: { set: { kept: ${'x'.repeat(15 * 1024)} } }
  - second: { set: { kept: ${'y'.repeat(15 * 1024)} } }
  - rest: { wait: { days: 1 } }
`;

const { server, owner: ada } = e2e({
  database: true,
  env: { RUN_BYTES_PER_WORKSPACE: '200KiB', PUBLIC_URL: 'http://service.test' },
});

const flowOf = async (content: string) => createFlow(ada, await createWorkspace(ada), content);
/** About 60 KiB. */
const input = { text: 'x'.repeat(60 * 1024) };
const start = (flow: number) =>
  startRun(ada, flow, { input }) as unknown as Promise<Answer<ProblemBody>>;

it('takes as many starts at once as have room for their inputs', async () => {
  const flow = await flowOf(RESTING);
  const answers = await Promise.all(Array.from({ length: 10 }, () => start(flow)));
  const statuses = answers.map(({ status }) => status).sort();
  expect(statuses).toEqual([...Array(3).fill(202), ...Array(7).fill(409)]);
  expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({
    code: 'QUOTA_REACHED',
    detail: 'The runs of a workspace may take 204800 bytes at most; old ones go by themselves.',
    quota: 'RUN_BYTES_PER_WORKSPACE',
    limit: 204_800,
  });
});

it('counts what runs have stored until their end, of each workspace for itself', async () => {
  const flow = await flowOf(KEEPING);
  await runToEnd(ada, flow, input);
  // Its input, the step's input and output, and the result: there is no room for another input.
  await waitFor('the refusal', async () => (await start(flow)).status === 409);
  expect((await start(await flowOf(KEEPING))).status).toBe(202);
});

it('counts what runs have stored that have not ended', async () => {
  const flow = await flowOf(KEEPING_AND_RESTING);
  let accepted = 0;
  // Each has stored more than 30 KiB by the time it waits; their inputs are empty.
  await waitFor('the refusal', async () => {
    const { status, body } = await startRun(ada, flow);
    if (status === 409) return true;
    accepted++;
    await waitFor('the wait', async () => (await getRun(ada, body.id)).status === 'WAITING');
    return false;
  });
  expect(accepted).toBeLessThanOrEqual(7);
});

it('can be off', async () => {
  const flow = await flowOf(RESTING);
  await Promise.all(Array.from({ length: 4 }, () => start(flow)));
  await server.stop();
  await server.restart({ RUN_BYTES_PER_WORKSPACE: 'off' });
  expect((await start(flow)).status).toBe(202);
});
