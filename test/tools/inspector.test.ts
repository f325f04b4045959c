import { allTools, isOfferedTo } from '../../services/tools/tools.ts';
import { createWorkspace, type Person, register } from '../helpers/people.ts';
import { createFlow, runToEnd } from '../helpers/runs.ts';
import { dataFolder, startServer, stopServers } from '../helpers/server.ts';
import { runTool, type ToolOutput } from './run-tool.ts';

const FLOW = 'do:\n  - first: { set: { x: 1 } }\n';

let url: string;
let person: Person;
let workspaceId: number;
let runId: number;
beforeAll(async () => {
  ({ url } = await startServer({ oneProcess: true }));
  person = await register(url);
  workspaceId = await createWorkspace(person);
  runId = (await runToEnd(person, await createFlow(person, workspaceId, FLOW))).id;
});
afterAll(stopServers);

/** Calls a method with the Inspector's CLI. */
function inspect(method: string, ...args: string[]): Promise<ToolOutput> {
  const header = `Authorization: Bearer ${person.token}`;
  const options = ['--transport', 'http', '--header', header, '--method', method, ...args];
  return runTool('mcp-inspector', ['--cli', `${url}/mcp`, ...options], dataFolder());
}
async function resultOf(method: string, ...args: string[]) {
  const { stdout, stderr, code } = await inspect(method, ...args);
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return JSON.parse(stdout);
}

test('lists every tool, and finds no error in their schemas', async () => {
  const { tools } = await resultOf('tools/list', '--strict');
  const offered = [...allTools().values()].filter((tool) =>
    isOfferedTo(tool, { kind: 'person', userId: 1, name: '', sessionId: '' }),
  );
  expect(tools.map(({ name }: { name: string }) => name)).toEqual(offered.map(({ name }) => name));
});

test('calls a changing tool and a reading one', async () => {
  const args = [`workspaceId=${workspaceId}`, 'title=The engine stands still', 'description=x'];
  const made = await resultOf('tools/call', '--tool-name', 'issues_create', ...toolArgs(args));
  expect(made.structuredContent).toMatchObject({ title: 'The engine stands still' });
  const read = await resultOf(
    'tools/call',
    '--tool-name',
    'issues_get',
    ...toolArgs([`workspaceId=${workspaceId}`, `issueId=${made.structuredContent.id}`]),
  );
  expect(read.structuredContent).toEqual(made.structuredContent);
});
const toolArgs = (pairs: readonly string[]) => pairs.flatMap((pair) => ['--tool-arg', pair]);

test('is told a problem as the result of a tool', async () => {
  const { stdout, code } = await inspect('tools/call', '--tool-name', 'issues_list');
  expect(code).not.toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ isError: true });
});

test('lists and reads resources', async () => {
  const { resources } = await resultOf('resources/list');
  expect(resources).toHaveLength(2);
  const { resourceTemplates } = await resultOf('resources/templates/list');
  expect(resourceTemplates).toHaveLength(5);
  const { contents } = await resultOf('resources/read', '--uri', `run://${runId}`);
  expect(JSON.parse(contents[0].text)).toMatchObject({ id: runId, status: 'SUCCESS' });
});

test('lists and gets prompts', async () => {
  const { prompts } = await resultOf('prompts/list');
  expect(prompts).toHaveLength(2);
  const { messages } = await resultOf(
    'prompts/get',
    '--prompt-name',
    'why-did-this-run-fail',
    '--prompt-args',
    `runId=${runId}`,
  );
  expect(messages[0].content.text).toContain(`run ${runId} has the status SUCCESS`);
});
