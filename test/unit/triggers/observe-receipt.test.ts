import { Registry } from 'prom-client';
import { NotFound, Problem, Unavailable } from '../../../contract/problem.ts';
import { tooManyStarts } from '../../../services/runs/runs.problems.ts';
import { noHook, signatureRefused } from '../../../services/triggers/triggers.problems.ts';
import { observeReceipt } from '../../../services/triggers/webhooks/observe-receipt.ts';
import { countWebhookRequests } from '../../../telemetry/webhook-metrics.ts';

const registry = new Registry();
countWebhookRequests([registry]);
beforeEach(() => registry.resetMetrics());

/** The outcomes of the requests so far, with their numbers. */
async function outcomes(): Promise<Record<string, number>> {
  const [metric] = await registry.getMetricsAsJSON();
  return Object.fromEntries(
    (metric?.values ?? []).map(({ labels, value }) => [labels.outcome, value]),
  );
}

test('a request that starts a run is accepted, and its answer is passed on', async () => {
  await expect(observeReceipt(async () => ({ runId: 7 }))).resolves.toEqual({ runId: 7 });
  expect(await outcomes()).toEqual({ accepted: 1 });
});

test.each([
  ['unknown', noHook()],
  ['unknown', new Problem(NotFound, 'from another process')],
  ['unsigned', signatureRefused('No signature fits.')],
  ['refused', tooManyStarts()],
  ['failed', new Problem(Unavailable, 'runs is away')],
  ['failed', new TypeError('a defect')],
])('a request whose receipt fails is %s: %s', async (outcome, error) => {
  await expect(observeReceipt(() => Promise.reject(error))).rejects.toBe(error);
  expect(await outcomes()).toEqual({ [outcome]: 1 });
});
