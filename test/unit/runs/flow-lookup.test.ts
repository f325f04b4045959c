import { type FlowCalls, FlowLookup } from '../../../services/runs/starts/flow-lookup.ts';

const FLOW = { id: 7, workspaceId: 1, name: 'flow' };
const NEWEST = 12;

/** A lookup in a service with one flow, the calls that it makes, and the versions whose plans are known. */
function lookup() {
  const calls: unknown[] = [];
  const known = new Set<number>();
  const ask = async (name: string, params: unknown) => {
    calls.push([name, params]);
    if (name === 'flows.flowsByIds') return { flows: [{ ...FLOW, versionId: NEWEST }] };
    const { starts } = params as { starts: { flowId: number; versionId?: number }[] };
    return {
      versions: starts.map(({ flowId, versionId = NEWEST }) =>
        flowId === FLOW.id ? { flow: FLOW, versionId, content: `v${versionId}` } : null,
      ),
    };
  };
  const flows = new FlowLookup({
    ask: ask as FlowCalls['ask'],
    plans: { has: ({ versionId }) => known.has(versionId) },
  });
  const start = (flowId: number, versionId?: unknown) => flows.findVersion(flowId, { versionId });
  return { calls, known, flows, start };
}

test('a start loads its flow and the version in one call, as do all starts of one turn', async () => {
  const { calls, start } = lookup();
  const found = await Promise.all([start(7), start(7), start(7, 3), start(8)]);
  expect(found).toMatchObject([
    { workspaceId: 1, flow: FLOW, versionId: NEWEST, content: 'v12' },
    { versionId: NEWEST },
    { versionId: 3, content: 'v3' },
    null,
  ]);
  const starts = [{ flowId: 7 }, { flowId: 7, versionId: 3 }, { flowId: 8 }];
  expect(calls).toEqual([['flows.versionsToRun', { starts }]]);
});

test('a start names the version whose plan is known, so that its file is not sent', async () => {
  const { calls, known, start } = lookup();
  await start(7);
  known.add(NEWEST).add(3);
  await Promise.all([start(7), start(7, 3), start(7, 4)]);
  expect(calls[1]).toEqual([
    'flows.versionsToRun',
    {
      starts: [
        { flowId: 7, knownVersionId: NEWEST },
        { flowId: 7, versionId: 3, knownVersionId: 3 },
        { flowId: 7, versionId: 4 },
      ],
    },
  ]);
});

test('a version that is no id is left to validation', async () => {
  const { calls, start } = lookup();
  expect(await start(7, 'newest')).toMatchObject({ versionId: NEWEST });
  expect(calls).toEqual([['flows.versionsToRun', { starts: [{ flowId: 7 }] }]]);
});
