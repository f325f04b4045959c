import { applyPatch } from 'diff';
import { e2e } from '../fixtures/e2e.ts';
import type { ProblemBody } from '../helpers/http.ts';
import { FLOW } from './sample-world.ts';

interface Flow {
  id: number;
  versionId: number;
  updatedAt: string;
}

const { owner, workspace } = e2e();

const SECOND = FLOW.replace('x: 1', 'x: 2');

const getFlow = async (flowId: number) => (await owner.call<Flow>('GET', `/flows/${flowId}`)).body;
async function store(flowId: number, content: string): Promise<number> {
  const { status, body, text } = await owner.call<Flow>('PUT', '/flows', {
    body: { flowId, content },
  });
  if (status !== 200) throw new Error(`storing answered ${status}: ${text}`);
  return body.versionId;
}
/** Creates a flow with two versions. */
async function createVersions(first = FLOW, second = SECOND) {
  const flowId = await workspace.flow(first);
  const { versionId: a } = await getFlow(flowId);
  return { flowId, a, b: await store(flowId, second) };
}
const diff = (flowId: number, a: number, b: number) =>
  owner.call<ProblemBody>('GET', `/flows/${flowId}/versions/${a}/diff/${b}`);
const restore = (flowId: number, versionId: number) =>
  owner.call<Flow & ProblemBody>('POST', `/flows/${flowId}/versions/${versionId}/restore`);
const contentOf = async (flowId: number, versionId: number) =>
  (await owner.call('GET', `/flows/${flowId}/versions/${versionId}`)).text;

describe('the diff of two versions', () => {
  it('is a unified diff in both directions, and empty for a version and itself', async () => {
    const { flowId, a, b } = await createVersions();
    const { status, headers, text } = await diff(flowId, a, b);
    expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(text).toBe(`--- versions/${a}
+++ versions/${b}
@@ -1,3 +1,3 @@
 do:
-  - first: { set: { x: 1 } }
+  - first: { set: { x: 2 } }
   - second: { set: { y: 2 } }
`);
    expect(applyPatch(SECOND, (await diff(flowId, b, a)).text)).toBe(FLOW);
    const same = await diff(flowId, a, a);
    expect([same.status, same.text]).toEqual([200, '']);
  });

  it('is 404 for a version of another flow, on either side', async () => {
    const one = await createVersions();
    const other = await createVersions();
    for (const [a, b] of [
      [one.a, other.b],
      [other.a, one.b],
      [one.a, 9_007_199_254_740_991],
    ] as const) {
      const { status, body } = await diff(one.flowId, a, b);
      expect([status, body.code]).toEqual([404, 'NOT_FOUND']);
    }
  });

  it('of files without an equal line replaces one by the other', async () => {
    const fileOf = (sign: string) => `do: []\n${`#${sign}\n`.repeat(60_000)}`;
    const [first, second] = [fileOf('-'), fileOf('"')];
    const { flowId, a, b } = await createVersions(first, second);
    const { status, text } = await diff(flowId, a, b);
    expect(status).toBe(200);
    expect(applyPatch(first, text)).toBe(second);
  });

  it('that is too large to be sent is 409', async () => {
    const fileOf = (sign: string) => `do: []\n${`#${sign}\n`.repeat(85_000)}`;
    const { flowId, a, b } = await createVersions(fileOf('\\'), fileOf('"'));
    const { status, body } = await diff(flowId, a, b);
    expect([status, body.code]).toEqual([409, 'DIFF_TOO_LARGE']);
  });
});

describe('the restore of a version', () => {
  it('stores its file as a new version', async () => {
    const { flowId, a, b } = await createVersions();
    const { status, body, headers } = await restore(flowId, a);
    expect([status, headers['x-flow-warnings']]).toEqual([200, '0']);
    expect(body).toEqual(await getFlow(flowId));
    expect([a, b]).not.toContain(body.versionId);
    expect(await contentOf(flowId, body.versionId)).toBe(FLOW);
    expect(await contentOf(flowId, b)).toBe(SECOND);
  });

  it('of the newest version changes nothing', async () => {
    const { flowId, b } = await createVersions();
    const before = await getFlow(flowId);
    const { status, body } = await restore(flowId, b);
    expect([status, body]).toEqual([200, before]);
  });

  it('is 404 for a version of another flow', async () => {
    const one = await createVersions();
    const other = await createVersions();
    expect((await restore(one.flowId, other.a)).status).toBe(404);
  });
});

describe('the graph of a flow', () => {
  const graph = (flowId: number) => owner.call<ProblemBody>('GET', `/flows/${flowId}/graph`);

  it('is a flowchart of the newest version', async () => {
    const { flowId } = await createVersions(FLOW, FLOW.replace('second', 'other'));
    const { status, headers, text } = await graph(flowId);
    expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(text).toBe(`flowchart TD
  n0(["start"])
  n1(["end"])
  n2["first<br/>set"]
  n3["other<br/>set"]
  n0 --> n2
  n2 --> n3
  n3 --> n1
`);
  });

  it('is 409 for a flow without versions', async () => {
    const { body } = await owner.call<Flow>('POST', '/flows', {
      body: { workspaceId: workspace.id, name: `empty ${Date.now()}` },
    });
    const answer = await graph(body.id);
    expect([answer.status, answer.body.code]).toEqual([409, 'FLOW_HAS_NO_VERSION']);
  });
});
