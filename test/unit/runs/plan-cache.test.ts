import type { Plan } from '@workspace-automation/flow-language';
import { PlanCache, sourceOf } from '../../../services/runs/engine/execution/plan-cache.ts';

const SHARE = { owner: 'person:1', tenant: 'workspace:1' } as const;
const planNamed = (name: string): Plan => ({
  document: { dsl: '1.0.0', namespace: 'workspace', name, version: '1.0.0' },
  tasks: [],
});

/** A cache with the versions of the flow 1, whose plans are named by their text, and the texts that it has compiled. */
function cacheOf({ compiles = true } = {}) {
  const texts: string[] = [];
  const plans = new PlanCache({
    contentOf: async (flowId, versionId) =>
      flowId === 1 ? `flow ${flowId} version ${versionId}` : null,
    compile: async (text) => {
      texts.push(text);
      return compiles
        ? { plan: planNamed(text), faults: [], warnings: [] }
        : { plan: null, faults: [], warnings: [] };
    },
  });
  return { plans, texts };
}
const steps = (workflowId: number, contentHash = 'hash') => ({ workflowId, contentHash });

test('executions of the same steps compile them once, at the start and while they run', async () => {
  const { plans, texts } = cacheOf();
  expect(plans.has(steps(1))).toBe(false);
  await Promise.all([1, 2].map(() => plans.planOf(steps(1), SHARE, 'start', 'text')));
  expect(plans.has(steps(1))).toBe(true);
  await plans.planOf(steps(1), SHARE, 'run', 'text');
  expect(texts).toEqual(['text']);
});

test('no plan is shared between workflows, nor between a workflow and a flow', async () => {
  const { plans } = cacheOf();
  const sources = [steps(1), steps(2), steps(1, 'other'), { flowId: 1, versionId: 1 }];
  for (const [n, source] of sources.entries()) {
    const plan = await plans.planOf(source, SHARE, 'run', `text ${n}`);
    expect(plan?.document.name).toBe(`text ${n}`);
  }
});

test('steps that do not compile are compiled again by the next execution', async () => {
  const { plans, texts } = cacheOf({ compiles: false });
  expect(await plans.planOf(steps(1), SHARE, 'run', 'text')).toBeNull();
  expect(await plans.planOf(steps(1), SHARE, 'run', 'text')).toBeNull();
  expect(texts).toEqual(['text', 'text']);
});

test('a known plan is given to the flow of its version, and to no other', async () => {
  const { plans, texts } = cacheOf();
  const [own, other] = [
    { flowId: 1, versionId: 7 },
    { flowId: 2, versionId: 7 },
  ];
  expect(plans.has(own)).toBe(false);
  for (const use of ['start', 'run'] as const)
    expect((await plans.planOf(own, SHARE, use))?.document.name).toBe('flow 1 version 7');
  expect([plans.has(own), plans.has(other)]).toEqual([true, false]);
  expect(await plans.planOf(other, SHARE, 'run')).toBeNull();
  expect(texts).toEqual(['flow 1 version 7']);
});

test('a start that is refused its turn is no failure of the run that needs the same plan', async () => {
  const plan = planNamed('plan');
  const plans = new PlanCache({
    contentOf: async () => 'content',
    compile: async (_content, _share, use) => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      if (use === 'start') throw new Error('too many');
      return { plan, faults: [], warnings: [] };
    },
  });
  const key = { flowId: 1, versionId: 1 };
  const start = expect(plans.planOf(key, SHARE, 'start', 'content')).rejects.toThrow('too many');
  expect(await plans.planOf(key, SHARE, 'run')).toBe(plan);
  await start;
  expect(await plans.planOf(key, SHARE, 'start')).toBe(plan);
});

test('the steps of an execution are never asked for', async () => {
  await expect(cacheOf().plans.planOf(steps(1), SHARE, 'run')).rejects.toThrow(
    'kept with their run',
  );
});

test('a run is of a version or of steps', () => {
  const execution = { ...steps(3), workflowName: 'x', revision: 1, content: '' };
  expect(sourceOf({ execution })).toMatchObject(steps(3));
  expect(sourceOf({ flowId: 1, versionId: 2 })).toMatchObject({ flowId: 1, versionId: 2 });
  expect(() => sourceOf({})).toThrow(TypeError);
});
