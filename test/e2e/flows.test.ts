import { e2e, type Result } from '../fixtures/e2e.ts';
import type { ProblemBody } from '../helpers/http.ts';
import { createWorkspace } from '../helpers/people.ts';

type Flow = Result<'flows.get'>;
type Versions = { id: number; createdAt: string }[];

const fileOf = (value: string): string => `do:\n  - first:\n      set: { value: ${value} }\n`;

const { owner, stranger, workspace } = e2e();

let named = 0;
const freshName = (): string => `Flow number ${++named}`;

async function makeFlow(body: Record<string, unknown> = {}): Promise<Flow> {
  const answer = await owner.call<Flow>('POST', '/flows', {
    body: { workspaceId: workspace.id, name: freshName(), ...body },
  });
  expect(answer.status).toBe(200);
  return answer.body;
}
const put = <T = Flow>(body: Record<string, unknown>, as = owner) =>
  as.call<T>('PUT', '/flows', { body });
const versionsOf = async (flow: Flow): Promise<Versions> =>
  (await owner.call<Versions>('GET', `/flows/${flow.id}/versions`)).body;
const contentOf = (flow: Flow, versionId: number | null) =>
  owner.call('GET', `/flows/${flow.id}/versions/${versionId}`);

describe('a flow', () => {
  test('is made without a file, and shown with exactly its fields', async () => {
    const flow = await makeFlow({ name: '  Order sync ' });
    expect(flow).toEqual({
      id: expect.any(Number),
      workspaceId: workspace.id,
      name: 'Order sync',
      description: '',
      versionId: null,
      createdAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      updatedAt: flow.createdAt,
    });
    expect((await owner.call('GET', `/flows/${flow.id}`)).body).toEqual(flow);
    expect(await versionsOf(flow)).toEqual([]);
  });

  test('is made with a file, which is its first version', async () => {
    const flow = await makeFlow({ content: fileOf('1'), description: 'a\r\nb' });
    expect(flow.description).toBe('a\nb');
    const versions = await versionsOf(flow);
    expect(versions).toEqual([{ id: flow.versionId, createdAt: expect.any(String) }]);
  });

  test('has a name that is unique in its workspace', async () => {
    const { name } = await makeFlow();
    const again = await owner.call<ProblemBody>('POST', '/flows', {
      body: { workspaceId: workspace.id, name },
    });
    expect(again).toMatchObject({ status: 409, body: { code: 'FLOW_NAME_TAKEN' } });
    const other = await makeFlow({ content: fileOf('1') });
    const renamed = await put<ProblemBody>({ flowId: other.id, name, content: fileOf('2') });
    expect(renamed).toMatchObject({ status: 409, body: { code: 'FLOW_NAME_TAKEN' } });
    expect((await owner.call('GET', `/flows/${other.id}`)).body).toEqual(other);
    const elsewhere = await createWorkspace(owner);
    const free = await owner.call('POST', '/flows', { body: { workspaceId: elsewhere, name } });
    expect(free.status).toBe(200);
  });

  test('has no name of digits only, since its id could stand there', async () => {
    const { status, body } = await owner.call<ProblemBody>('POST', '/flows', {
      body: { workspaceId: workspace.id, name: '42' },
    });
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([{ in: 'body', path: 'name' }]);
  });

  test('can be sent back as it was shown, which changes nothing', async () => {
    const flow = await makeFlow({ content: fileOf('1') });
    const answer = await put({ ...flow, flowId: flow.id });
    expect(answer).toMatchObject({ status: 200, body: flow });
    expect((await put({ flowId: flow.id })).body).toEqual(flow);
    expect(await versionsOf(flow)).toHaveLength(1);
  });

  test('is not another: an id or workspace that contradicts is refused', async () => {
    const [flow, other] = [await makeFlow(), await makeFlow()];
    for (const [field, value] of [
      ['id', other.id],
      ['workspaceId', workspace.id + 1],
    ] as const) {
      const { status, body } = await put<ProblemBody>({ flowId: flow.id, [field]: value });
      expect(status).toBe(400);
      expect(body.errors).toMatchObject([{ in: 'body', path: field }]);
    }
  });

  test('is listed with the others of its workspace, page by page', async () => {
    const elsewhere = await createWorkspace(owner);
    const flows: Flow[] = [];
    for (let n = 0; n < 3; n++) flows.push(await makeFlow({ workspaceId: elsewhere }));
    flows.sort((a, b) => a.id - b.id); // ids of different processes are not in order of time
    const path = `/workspaces/${elsewhere}/flows`;
    expect((await owner.call('GET', path)).body).toEqual(flows);
    const first = await owner.call<Flow[]>('GET', path, { query: { limit: 2 } });
    expect(first.body).toEqual(flows.slice(0, 2));
    const next = /<([^>]+)>; rel="next"/.exec(String(first.headers.link))?.[1] ?? '';
    expect((await owner.call('GET', next)).body).toEqual(flows.slice(2));
  });
});

describe('a version', () => {
  test('comes from content that differs, and stays as it is', async () => {
    const flow = await makeFlow({ content: fileOf('1') });
    const changed = (await put({ flowId: flow.id, content: fileOf('2'), name: freshName() })).body;
    expect(changed.versionId).not.toBe(flow.versionId);
    expect(changed.name).not.toBe(flow.name);
    expect((await versionsOf(flow)).map(({ id }) => id)).toEqual([
      changed.versionId,
      flow.versionId,
    ]);
    expect((await contentOf(flow, flow.versionId)).text).toBe(fileOf('1'));
    expect((await contentOf(flow, changed.versionId)).text).toBe(fileOf('2'));
  });

  test('does not come from the same content again, but from an earlier one it does', async () => {
    const flow = await makeFlow({ content: fileOf('1') });
    expect((await put({ flowId: flow.id, content: fileOf('1') })).body).toEqual(flow);
    await put({ flowId: flow.id, content: fileOf('2') });
    await put({ flowId: flow.id, content: fileOf('1') });
    expect(await versionsOf(flow)).toHaveLength(3);
  });

  test.each([
    [
      'CRLF, tabs in text and spaces at the end',
      'do: # \t\r\n  - a:   \r\n      set: { b: 1 }\r\n\r\n ',
    ],
    ['other scripts and characters beyond the first plane', `# Größe 大 😀\n${fileOf("'😀'")}`],
    ['no line break at the end', fileOf('1').trimEnd()],
    ['JSON', '{"do":[{"a":{"set":{"b":1}}}]}'],
    ['what looks like markup', `# <script>alert(1)</script> %00\n${fileOf('1')}`],
  ])('is answered byte for byte: %s', async (_what, content) => {
    const flow = await makeFlow({ content });
    const answer = await contentOf(flow, flow.versionId);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(answer.text).toBe(content);
  });

  test('is listed newest first, page by page', async () => {
    const flow = await makeFlow();
    const ids: (number | null)[] = [];
    for (let n = 0; n < 5; n++) {
      ids.unshift((await put({ flowId: flow.id, content: fileOf(String(n)) })).body.versionId);
    }
    const seen: number[] = [];
    let path = `/flows/${flow.id}/versions?limit=2`;
    for (let page = 0; page < 3; page++) {
      const { body, headers } = await owner.call<Versions>('GET', path);
      seen.push(...body.map(({ id }) => id));
      path = /<([^>]+)>; rel="next"/.exec(String(headers.link))?.[1] ?? '';
    }
    expect(seen).toEqual(ids);
    expect(path).toBe('');
  });

  test('belongs to one flow', async () => {
    const [flow, other] = [await makeFlow({ content: fileOf('1') }), await makeFlow()];
    expect((await contentOf(other, flow.versionId)).status).toBe(404);
    expect((await contentOf(flow, 9_007_199_254_740_991)).status).toBe(404);
  });

  test('is lost by nobody who stores at the same time', async () => {
    const flow = await makeFlow();
    const contents = Array.from({ length: 8 }, (_, n) => fileOf(String(n)));
    const answers = await Promise.all(contents.map((content) => put({ flowId: flow.id, content })));
    expect(answers.map(({ status }) => status)).toEqual(contents.map(() => 200));
    const versions = await versionsOf(flow);
    expect(new Set(versions.map(({ id }) => id)).size).toBe(contents.length);
    const { body } = await owner.call<Flow>('GET', `/flows/${flow.id}`);
    expect(versions[0]?.id).toBe(body.versionId);
    const stored = await Promise.all(versions.map(({ id }) => contentOf(flow, id)));
    expect(stored.map(({ text }) => text).sort()).toEqual(contents);
  });
});

describe('who may', () => {
  test('a guest reads and does not write', async () => {
    const guest = await workspace.member('GUEST');
    const flow = await makeFlow({ content: fileOf('1') });
    for (const path of ['', '/versions', `/versions/${flow.versionId}`]) {
      expect((await guest.call('GET', `/flows/${flow.id}${path}`)).status).toBe(200);
    }
    expect((await guest.call('GET', `${workspace.path}/flows`)).status).toBe(200);
    expect((await put({ flowId: flow.id, name: 'Mine' }, guest)).status).toBe(403);
    const made = await guest.call('POST', '/flows', {
      body: { workspaceId: workspace.id, name: freshName() },
    });
    expect(made.status).toBe(403);
  });

  test('for a stranger there is no such flow, whatever else is wrong with the request', async () => {
    const flow = await makeFlow({ content: fileOf('1') });
    const missing = await stranger.call<ProblemBody>('GET', '/flows/999999999');
    const hidden = await stranger.call<ProblemBody>('GET', `/flows/${flow.id}`);
    expect(hidden.status).toBe(404);
    expect(hidden.body.detail.replace(String(flow.id), '999999999')).toBe(missing.body.detail);
    expect((await put({ flowId: flow.id, name: '', extra: 1 }, stranger)).status).toBe(404);
    const made = await stranger.call('POST', '/flows', {
      body: { workspaceId: workspace.id, name: '' },
    });
    expect(made.status).toBe(404);
  });
});
