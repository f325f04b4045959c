import type { Plan, Verdict } from '@workspace-automation/flow-language';
import { PlanCache, type VersionKey } from '../../../services/runs/engine/execution/plan-cache.ts';
import { assertInputFits } from '../../../services/runs/starts/check-input.ts';
import { callsTo } from './engine.ts';

const plan: Plan = { ...callsTo(), inputSchema: {} };
const share = { owner: 'person:1', tenant: 'workspace:1' };
const version = { source: { flowId: 1, versionId: 1 }, share };

test('an input that took too much to check is refused at once the next time, and no other', async () => {
  const asked: string[] = [];
  const validate = async (_: unknown, value: unknown): Promise<Verdict> => {
    asked.push(String(value));
    return value === 'bomb' ? { valid: false, gaveUp: true, errors: [] } : { valid: true };
  };
  const costly = {
    type: 'INPUT_REFUSED',
    code: 400,
    data: { errors: [{ path: 'input', code: 'too_costly' }] },
  };
  for (let n = 0; n < 3; n++) {
    await expect(assertInputFits(plan, '"bomb"', version, validate)).rejects.toMatchObject(costly);
  }
  await assertInputFits(plan, '"fine"', version, validate);
  expect(asked).toEqual(['bomb', 'fine']);
});

test('a known plan is given to the flow of its version, and to no other', async () => {
  const asked: number[] = [];
  const plans = new PlanCache({
    contentOf: async (flowId) => {
      asked.push(flowId);
      return flowId === 1 ? 'content' : null;
    },
    compile: async () => ({ plan, faults: [], warnings: [] }),
  });
  const [own, other] = [1, 2].map((flowId) => ({ flowId, versionId: 7 })) as [
    VersionKey,
    VersionKey,
  ];
  expect(plans.has(own)).toBe(false);
  expect(await plans.planOf(own, share, 'start')).toBe(plan);
  expect(await plans.planOf(own, share, 'run')).toBe(plan);
  expect([plans.has(own), plans.has(other)]).toEqual([true, false]);
  expect(await plans.planOf(other, share, 'run')).toBeNull();
  expect(asked).toEqual([1, 2]);
});

test('a start that is refused its turn is no failure of the run that needs the same plan', async () => {
  const plans = new PlanCache({
    contentOf: async () => 'content',
    compile: async (_content, _share, use) => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      if (use === 'start') throw new Error('too many');
      return { plan, faults: [], warnings: [] };
    },
  });
  const key = { flowId: 1, versionId: 1 };
  const start = expect(plans.planOf(key, share, 'start', 'content')).rejects.toThrow('too many');
  expect(await plans.planOf(key, share, 'run')).toBe(plan);
  await start;
  expect(await plans.planOf(key, share, 'start')).toBe(plan);
});
