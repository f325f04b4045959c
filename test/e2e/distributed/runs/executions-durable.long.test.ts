import { createWorkspace, type Person, registerVerified } from '../../../helpers/people.ts';
import { endOf, getRun, LocalApi, stepsOf } from '../../../helpers/runs.ts';
import { startServer, stopServers, type TestServer } from '../../../helpers/server.ts';
import { waitFor } from '../../../helpers/wait.ts';
import {
  createWorkflow,
  editStep,
  execute,
  executeDraft,
  publishSteps,
  type WorkflowStep,
} from '../../../helpers/workflows.ts';

let server: TestServer;
let api: LocalApi;
let ada: Person;
let workspaceId: number;

beforeAll(async () => {
  api = await LocalApi.start();
  // Tokens stay valid when the process comes back on its port.
  const env = { OUTBOUND_ALLOW: '127.0.0.0/8', PUBLIC_URL: 'http://service.test' };
  server = await startServer({ env });
  ada = await registerVerified(server.url);
  workspaceId = await createWorkspace(ada);
});
afterAll(async () => {
  api.stop();
  await stopServers();
});

async function killAndRestart(): Promise<void> {
  await server.kill();
  await server.restart();
}
const call = (key: string, path: string): WorkflowStep => ({
  key,
  definition: { call: 'http', with: { method: 'post', endpoint: `${api.url}${path}` } },
});
const setting = (v: string): WorkflowStep => ({ key: 'last', definition: { set: { v } } });
const held = (path: string, times = 1) =>
  waitFor(`call ${times} of ${path}`, () => api.keysOf(path).length === times);

test('an execution goes on with its steps after kill -9, although others were published', async () => {
  const steps = [call('before', '/ok/1'), call('held', '/hold/1'), setting('old')];
  const workflowId = await createWorkflow(ada, workspaceId, steps);
  const { body } = await execute(ada, workflowId);
  await held('/hold/1');
  await publishSteps(ada, workflowId, [call('other', '/ok/other'), setting('new')]);
  await killAndRestart();
  await held('/hold/1', 2);
  api.letGo();
  const ended = await endOf(ada, body.id);
  expect(ended).toMatchObject({ status: 'SUCCESS', revision: 1, output: { v: 'old' } });
  expect(api.keysOf('/ok/1')).toHaveLength(1);
  expect(api.keysOf('/ok/other')).toEqual([]);
  expect(new Set(api.keysOf('/hold/1'))).toEqual(new Set([`${body.id}/do/1/held//1`]));
  expect((await stepsOf(ada, body.id)).map(({ name }) => name)).toEqual(['before', 'held', 'last']);
});

test('the run of a draft goes on after kill -9, although its branch was discarded', async () => {
  const workflowId = await createWorkflow(ada, workspaceId, [call('held', '/hold/2')]);
  const branch = { workspaceId, workflowId };
  const revision = await editStep(ada, branch, setting('draft'));
  const { body } = await executeDraft(ada, branch);
  await held('/hold/2');
  const path = `/dev-mode/branches/${workflowId}`;
  expect((await ada.call('DELETE', path, { query: { workspaceId } })).status).toBeLessThan(300);
  await killAndRestart();
  await held('/hold/2', 2);
  api.letGo();
  const ended = await endOf(ada, body.id);
  expect(ended).toMatchObject({ status: 'SUCCESS', draft: true, revision, output: { v: 'draft' } });
});

test('executions of a deleted workflow are cancelled, although the process dies after the answer', async () => {
  const rest = { key: 'rest', definition: { wait: { days: 20 } } };
  const workflowId = await createWorkflow(ada, workspaceId, [rest]);
  const ids: number[] = [];
  for (let n = 0; n < 5; n++) ids.push((await execute(ada, workflowId)).body.id);
  const query = { cancel: 'true' };
  expect((await ada.call('DELETE', `/workflow/${workflowId}`, { query })).status).toBe(200);
  await killAndRestart();
  const ends = await Promise.all(ids.map((id) => endOf(ada, id)));
  expect(ends.map(({ status }) => status)).toEqual(ids.map(() => 'CANCELLED'));
  expect(await getRun(ada, ids[0] ?? 0)).toMatchObject({ workflowId, revision: 1 });
});
