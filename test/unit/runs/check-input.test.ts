import type { Verdict } from '@workspace-automation/flow-language';
import { assertInputFits } from '../../../services/runs/starts/check-input.ts';

const document = { dsl: '1.0.0', namespace: 'workspace', name: 'flow', version: '1.0.0' };
const plan = { document, tasks: [], inputSchema: {} };
const version = {
  source: { flowId: 1, versionId: 1 },
  share: { owner: 'person:1', tenant: 'workspace:1' },
};

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
