import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { e2e } from '../fixtures/e2e.ts';
import { callMethod } from '../helpers/mcp.ts';
import { createWorkspace, type Person, register } from '../helpers/people.ts';
import { createFlow, runToEnd } from '../helpers/runs.ts';

const FLOW = 'do:\n  - first: { set: { x: 1 } }\n';
const FAILING = `do:
  - before: { set: { x: 1 } }
  - breaks: { raise: { error: { type: 'https://example.com/broken', status: 418, title: TEAPOT } } }
`;
/** A run of 401 steps with 8 KB each, of which the last one fails. */
const LONG = `do:
  - loop:
      for: { each: item, in: '\${ [1..400] }' }
      do:
        - long: { set: { a: '\${ $pad("x", 4000, "y") }', b: '\${ $pad("x", 4000, "y") }' } }
  - breaks: { raise: { error: { type: 'https://example.com/broken', status: 418, title: TEAPOT } } }
`;
const REFERENCE = join(import.meta.dirname, '../../docs/flow-language.md');

interface Resource {
  uri: string;
  name: string;
  mimeType?: string;
}
interface Listed {
  resources: Resource[];
  nextCursor?: string;
}
interface Content {
  contents: { uri: string; mimeType: string; text: string }[];
}
interface Message {
  role: string;
  content: { type: string; text?: string; resource?: { uri: string; text: string } };
}

const { server } = e2e();

let person: Person;
let stranger: Person;
let workspaceId: number;
let flowId: number;
let failedId: number;
let foreignFlow: number;

beforeAll(async () => {
  [person, stranger] = await Promise.all([register(server.url), register(server.url)]);
  workspaceId = await createWorkspace(person);
  flowId = await createFlow(person, workspaceId, FLOW);
  failedId = (await runToEnd(person, await createFlow(person, workspaceId, FAILING))).id;
  foreignFlow = await createFlow(stranger, await createWorkspace(stranger), FLOW);
});

const call = <T>(method: string, params: unknown = {}, token = person.token) =>
  callMethod<T>(server.url, method, params, { token });
async function read(uri: string): Promise<{ mimeType: string; text: string }> {
  const { result, error } = await call<Content>('resources/read', { uri });
  const [content] = result?.contents ?? [];
  if (!content) throw new Error(`${uri}: ${error?.message}`);
  expect(content.uri).toBe(uri);
  return content;
}

describe('resources', () => {
  it('are the reference of the language and the flow files of all workspaces, page by page', async () => {
    const owner = await register(server.url);
    const made: number[] = [];
    for (let at = 0; at < 3; at++) {
      const id = await createWorkspace(owner);
      for (let of = 0; of < 2; of++) made.push(await createFlow(owner, id, FLOW));
    }
    const uris: string[] = [];
    let cursor: string | undefined;
    do {
      const { result } = await call<Listed>('resources/list', { cursor }, owner.token);
      uris.push(...(result?.resources.map(({ uri }) => uri) ?? []));
      cursor = result?.nextCursor;
    } while (cursor !== undefined);
    expect(uris[0]).toBe('flow-language://reference');
    expect(uris.slice(1).sort()).toEqual(made.map((id) => `flow://${id}`).sort());
  });

  it('go on where a page ended, over more workspaces than a page looks at', async () => {
    const owner = await register(server.url);
    const made: number[] = [];
    for (let at = 0; at < 12; at++) {
      made.push(await createFlow(owner, await createWorkspace(owner), FLOW));
    }
    const first = await call<Listed>('resources/list', {}, owner.token);
    expect(first.result?.resources).toHaveLength(11);
    const cursor = first.result?.nextCursor;
    const second = await call<Listed>('resources/list', { cursor }, owner.token);
    expect(second.result?.resources).toHaveLength(2);
    expect(second.result?.nextCursor).toBeUndefined();
  });

  it.each(['bad', Buffer.from('[1]').toString('base64url')])(
    'refuse the cursor %s',
    async (cursor) => {
      expect((await call('resources/list', { cursor })).error?.code).toBe(-32602);
    },
  );

  it('list nothing of a workspace that a cursor names and the caller is no member of', async () => {
    const cursor = Buffer.from(`[${workspaceId},""]`).toString('base64url');
    const other = await register(server.url);
    const { result } = await call<Listed>('resources/list', { cursor }, other.token);
    expect(result?.resources).toEqual([]);
  });

  it('have templates', async () => {
    const { result } = await call<{ resourceTemplates: { uriTemplate: string }[] }>(
      'resources/templates/list',
    );
    expect(result?.resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'flow://{flowId}',
      'flow://{flowId}/versions/{versionId}',
      'run://{runId}',
      'run://{runId}/steps{?after}',
      'run://{runId}/steps/{stepId}',
    ]);
  });

  it('are read as they are', async () => {
    const { body: flow } = await person.call<{ versionId: number }>('GET', `/flows/${flowId}`);
    expect(await read(`flow://${flowId}`)).toMatchObject({
      mimeType: 'application/yaml',
      text: FLOW,
    });
    expect((await read(`flow://${flowId}/versions/${flow.versionId}`)).text).toBe(FLOW);
    expect((await read('flow-language://reference')).text).toBe(readFileSync(REFERENCE, 'utf8'));
    const run = JSON.parse((await read(`run://${failedId}`)).text);
    expect(run).toMatchObject({ id: failedId, status: 'FAILED' });
    const { items } = JSON.parse((await read(`run://${failedId}/steps`)).text);
    expect(items.map(({ name }: { name: string }) => name)).toEqual(['before', 'breaks']);
    const step = JSON.parse((await read(`run://${failedId}/steps/${items[1].id}`)).text);
    expect(step).toMatchObject({ name: 'breaks', status: 'FAILED' });
  });

  it('that are not there, or not for the caller, or have no possible URI, are not found', async () => {
    const empty = await person.call<{ id: number }>('POST', '/flows', {
      body: { workspaceId, name: 'Empty' },
    });
    const uris = [
      `flow://${foreignFlow}`,
      'flow://9007199254740000',
      `flow://${empty.body.id}`,
      `run://${failedId}/steps/999`,
      'run://0',
      'run://99999999999999999999',
      'run://1e3',
      'file:///etc/passwd',
      'flow://../../etc/passwd',
      `flow://${'1'.repeat(10_000)}`,
      '',
    ];
    for (const uri of uris) {
      expect([uri, (await call('resources/read', { uri })).error?.code]).toEqual([uri, -32002]);
    }
  });

  it('of others are not told from those that nobody has', async () => {
    const messageOf = async (id: number) =>
      (await call('resources/read', { uri: `flow://${id}` })).error?.message.replace(
        String(id),
        '',
      );
    expect(await messageOf(foreignFlow)).toBe(await messageOf(9_007_199_254_740_000));
  });

  it('are for a key what its scopes allow', async () => {
    const { body } = await person.call<{ key: string }>('POST', '/api-keys', {
      body: { workspaceId, name: 'reader', scopes: ['flows:read'] },
    });
    const key = { headers: { 'x-api-key': body.key } };
    const uriOf = async (method: string) => (await callMethod(server.url, method, {}, key)).result;
    expect((await uriOf('resources/list'))?.resources).toHaveLength(1);
    expect((await uriOf('resources/templates/list'))?.resourceTemplates).toHaveLength(3);
    const run = await callMethod(server.url, 'resources/read', { uri: `run://${failedId}` }, key);
    expect(run.error).toBeUndefined();
    const flow = await callMethod(server.url, 'resources/read', { uri: `flow://${flowId}` }, key);
    expect(flow.error?.code).toBe(-32002);
  });
});

describe('prompts', () => {
  const get = (name: string, values?: object, token?: string) =>
    call<{ messages: Message[] }>('prompts/get', { name, arguments: values }, token);

  it('are listed with their arguments', async () => {
    const { result } = await call<{ prompts: { name: string; arguments: object[] }[] }>(
      'prompts/list',
    );
    expect(result?.prompts).toEqual([
      expect.objectContaining({
        name: 'why-did-this-run-fail',
        arguments: [expect.objectContaining({ name: 'runId', required: true })],
      }),
      expect.objectContaining({
        name: 'write-a-flow',
        arguments: [expect.objectContaining({ name: 'task', required: true })],
      }),
    ]);
  });

  it('ask for the cause of a failure with the run, its failed steps and its file', async () => {
    const { result } = await get('why-did-this-run-fail', { runId: String(failedId) });
    const [text, run, steps, file] = result?.messages ?? [];
    expect(text?.content.text).toContain(`run ${failedId} has the status FAILED`);
    expect(JSON.parse(run?.content.resource?.text ?? '')).toMatchObject({
      id: failedId,
      error: { status: 418 },
    });
    expect(JSON.parse(steps?.content.resource?.text ?? '')).toEqual([
      expect.objectContaining({ name: 'breaks', status: 'FAILED' }),
    ]);
    expect(file?.content.resource?.text).toBe(FAILING);
  });

  it('say how many steps they looked through where a run has very many', async () => {
    const { id } = await runToEnd(person, await createFlow(person, workspaceId, LONG));
    const { result } = await get('why-did-this-run-fail', { runId: String(id) });
    const [text, , steps] = result?.messages ?? [];
    const [, looked] =
      /those of its first (\d+) steps that failed/.exec(text?.content.text ?? '') ?? [];
    expect(Number(looked)).toBeGreaterThan(100);
    expect(Number(looked)).toBeLessThan(400);
    expect(steps?.content.resource?.text).toBe('[]');
  });

  it('ask for a flow with the reference of the language', async () => {
    const { result } = await get('write-a-flow', { task: 'Greet whoever comes.' });
    const [text, reference] = result?.messages ?? [];
    expect(text?.content.text).toContain('Greet whoever comes.');
    expect(reference?.content.resource?.uri).toBe('flow-language://reference');
    expect(reference?.content.resource?.text).toBe(readFileSync(REFERENCE, 'utf8'));
  });

  it.each([
    ['an unknown prompt', 'nothing', {}],
    ['a missing argument', 'why-did-this-run-fail', undefined],
    ['an empty argument', 'write-a-flow', { task: ' ' }],
    ['an argument of another type', 'why-did-this-run-fail', { runId: 7 }],
    ['a run that does not exist', 'why-did-this-run-fail', { runId: '9007199254740000' }],
    ['no id', 'why-did-this-run-fail', { runId: 'last' }],
  ])('refuse %s', async (_, name, values) => {
    expect((await get(name, values)).error?.code).toBe(-32602);
  });

  it("refuse another workspace's run", async () => {
    const { error } = await get('why-did-this-run-fail', { runId: `${failedId}` }, stranger.token);
    expect(error).toMatchObject({ code: -32602, message: `There is no run ${failedId}.` });
  });
});
