import type { AuditEntry } from '../../contract/audit.ts';
import { e2e } from '../fixtures/e2e.ts';
import { request } from '../helpers/http.ts';
import { callMethod, callTool, problemIn } from '../helpers/mcp.ts';
import { createWorkspace } from '../helpers/people.ts';
import { createFlow, runToEnd } from '../helpers/runs.ts';
import { waitFor } from '../helpers/wait.ts';

const FLOW = 'do:\n  - first: { set: { x: 1 } }\n';

const { server, owner, stranger, workspace } = e2e();

let runId: number;
let foreignId: number;
let foreignRunId: number;

beforeAll(async () => {
  runId = (await runToEnd(owner, await workspace.flow(FLOW))).id;
  foreignId = await createWorkspace(stranger);
  const foreignFlow = await createFlow(stranger, foreignId, FLOW);
  foreignRunId = (await runToEnd(stranger, foreignFlow)).id;
});

const newIssue = { title: 'The engine stands still', description: '' };

async function toolsOf(credentials: { headers?: Record<string, string>; token?: string }) {
  const { result } = await callMethod<{ tools: { name: string }[] }>(
    server.url,
    'tools/list',
    {},
    credentials,
  );
  return result?.tools.map(({ name }) => name) ?? [];
}

test('a change by a tool is audited with the person as its actor and the assistant as its way', async () => {
  const args = { workspaceId: workspace.id, ...newIssue };
  const { structuredContent: issue } = await callTool<{ id: number }>(
    server.url,
    'issues_create',
    args,
    {
      token: owner.token,
      headers: { via: '1.1 http' }, // no header has a say in it
    },
  );
  const entry = await waitFor('the entry', async () => {
    const path = `${workspace.path}/audit-log`;
    const { body } = await owner.call<AuditEntry[]>('GET', path);
    return body.find(({ resource }) => resource.type === 'issue' && resource.id === issue?.id);
  });
  expect(entry).toMatchObject({
    actor: { type: 'person', id: owner.id },
    via: 'assistant',
    operation: 'issues.create',
    requestId: expect.any(String),
  });
});

test('a workspace of others is not told from one that does not exist', async () => {
  const unknownId = 9_007_199_254_740_000;
  const problemOf = async (id: number) => {
    const args = { workspaceId: id, issueId: 1 };
    return problemIn(await callTool(server.url, 'issues_get', args, { token: owner.token }));
  };
  const [foreign, unknown] = [await problemOf(foreignId), await problemOf(unknownId)];
  expect(foreign).toMatchObject({ code: 'NOT_FOUND', status: 404 });
  expect(JSON.stringify(foreign).replaceAll(`${foreignId}`, `${unknownId}`)).toBe(
    JSON.stringify(unknown),
  );
});

test('a guest may call reading tools, and is told that the role does not allow a changing one', async () => {
  const guest = await workspace.member('GUEST');
  const credentials = { token: guest.token };
  const listed = await callTool(
    server.url,
    'issues_list',
    { workspaceId: workspace.id },
    credentials,
  );
  expect(listed.isError).toBeUndefined();
  const flow = { workspaceId: workspace.id, name: 'Mine' };
  expect(problemIn(await callTool(server.url, 'flows_create', flow, credentials))).toMatchObject({
    code: 'FORBIDDEN',
    status: 403,
    detail: expect.stringContaining('The role GUEST may not do this'),
  });
});

test('a service account calls tools in its workspace, by its role', async () => {
  const body = { workspaceId: workspace.id, name: 'agent', role: 'AGENT' };
  const { body: account } = await owner.call<{ clientId: string; clientSecret: string }>(
    'POST',
    '/service-accounts',
    { body },
  );
  const { body: answer } = await request<{ access_token: string }>(
    server.url,
    'POST',
    '/auth/token',
    {
      body: {
        grant_type: 'client_credentials',
        client_id: account.clientId,
        client_secret: account.clientSecret,
      },
    },
  );
  const credentials = { token: answer.access_token };
  const args = { workspaceId: workspace.id, ...newIssue };
  expect((await callTool(server.url, 'issues_create', args, credentials)).isError).toBeUndefined();
  const elsewhere = { workspaceId: foreignId, ...newIssue };
  expect(
    problemIn(await callTool(server.url, 'issues_create', elsewhere, credentials)).status,
  ).toBe(404);
});

describe('an API key', () => {
  it('is listed the tools of its scopes, in the header or in the query', async () => {
    const key = await workspace.key('flows:read');
    expect(await toolsOf(key)).toEqual(['runs_get', 'runs_listSteps', 'runs_getStep']);
    expect(await toolsOf(await workspace.key('issues:create'))).toEqual(['issues_createExternal']);
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const { body } = await owner.call<{ result: { tools: object[] } }>('POST', '/mcp', {
      body: message,
      query: { api_key: key.headers['x-api-key'] },
    });
    expect(body.result.tools).toHaveLength(3);
  });

  it('calls the tools of its scopes in its workspace, as itself', async () => {
    const read = await callTool<{ id: number }>(
      server.url,
      'runs_get',
      { runId },
      await workspace.key('flows:read'),
    );
    expect(read.structuredContent?.id).toBe(runId);
    const args = { workspaceId: workspace.id, ...newIssue };
    const made = await callTool(
      server.url,
      'issues_createExternal',
      args,
      await workspace.key('issues:create'),
    );
    expect(made.structuredContent).toMatchObject(newIssue);
  });

  it.each(['runs_startExternal', 'flows_get', 'workspaces_list'])(
    'does not know the tool %s without its scope',
    async (name) => {
      const params = { name, arguments: {} };
      const { error } = await callMethod(
        server.url,
        'tools/call',
        params,
        await workspace.key('flows:read'),
      );
      expect(error).toEqual({ code: -32602, message: `Unknown tool: ${name}` });
    },
  );

  it('finds nothing of another workspace', async () => {
    const key = await workspace.key('flows:read', 'issues:create');
    const read = await callTool(server.url, 'runs_get', { runId: foreignRunId }, key);
    expect(problemIn(read)).toMatchObject({ status: 404 });
    const args = { workspaceId: foreignId, ...newIssue };
    expect(problemIn(await callTool(server.url, 'issues_createExternal', args, key)).status).toBe(
      404,
    );
  });

  it('is refused as soon as it is revoked', async () => {
    const { id, headers } = await workspace.key('flows:read');
    await owner.call('DELETE', `/api-keys/${id}`);
    await waitFor('the refusal', async () => {
      const message = { jsonrpc: '2.0', id: 1, method: 'ping' };
      return (await owner.call('POST', '/mcp', { body: message, headers })).status === 401;
    });
  });
});
