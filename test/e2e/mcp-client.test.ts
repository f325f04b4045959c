import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { allTools, isOfferedTo } from '../../services/tools/tools.ts';
import { e2e } from '../fixtures/e2e.ts';

const { server, owner, workspace } = e2e();

const clients: Client[] = [];

afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
});

/** The client of the official SDK, with these headers. */
async function connect(headers: Record<string, string>): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  clients.push(client);
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', server.url), {
    requestInit: { headers },
  });
  await client.connect(transport as never); // the SDK's types do not allow `exactOptionalPropertyTypes`
  return client;
}
const asOwner = () => connect({ authorization: `Bearer ${owner.token}` });

test('the client of the SDK connects, and learns what the server is', async () => {
  const client = await asOwner();
  expect(client.getServerVersion()).toMatchObject({
    name: 'workspace-automation-service',
    title: 'Workspace Automation Service',
  });
  expect(client.getServerCapabilities()).toHaveProperty('tools');
  expect(client.getInstructions()).toContain('workspaces_list');
  expect(await client.ping()).toEqual({});
});

test('the client lists every tool that it is offered, page by page', async () => {
  const client = await asOwner();
  const names: string[] = [];
  let cursor: string | undefined;
  let pages = 0;
  do {
    const page = await client.listTools(cursor === undefined ? {} : { cursor });
    names.push(...page.tools.map(({ name }) => name));
    cursor = page.nextCursor;
    pages++;
  } while (cursor !== undefined);
  const person = { kind: 'person', userId: 1, name: '', sessionId: '' } as const;
  const offered = [...allTools().values()].filter((tool) => isOfferedTo(tool, person));
  expect(names).toEqual(offered.map(({ name }) => name));
  expect(pages).toBe(2);
});

test('the client calls tools, and checks what they answer against their schemas', async () => {
  const client = await asOwner();
  await client.listTools(); // from here on the client knows the schemas of answers
  const made = await client.callTool({
    name: 'issues_create',
    arguments: { workspaceId: workspace.id, title: 'The engine stands still', description: '' },
  });
  expect(made.structuredContent).toMatchObject({ title: 'The engine stands still' });
  const listed = await client.callTool({
    name: 'issues_list',
    arguments: { workspaceId: workspace.id },
  });
  expect(listed.structuredContent).toEqual({ items: [made.structuredContent], after: null });
});

test('the client gets a problem as a result, and an unknown tool as an error', async () => {
  const client = await asOwner();
  const wrong = await client.callTool({
    name: 'issues_create',
    arguments: { workspaceId: workspace.id },
  });
  expect(wrong.isError).toBe(true);
  expect(wrong.content).toEqual([
    { type: 'text', text: expect.stringContaining('"title: is required') },
  ]);
  await expect(client.callTool({ name: 'issues_burn', arguments: {} })).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining('Unknown tool: issues_burn'),
  });
});

test('a client without a token is refused', async () => {
  await expect(connect({})).rejects.toMatchObject({ code: 401 });
});
