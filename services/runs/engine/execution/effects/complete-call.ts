import { FlowError, flowError, type Json } from '@workspace-automation/flow-language';
import { OutboundError } from '@workspace-automation/outbound-http';
import { databaseClock } from '../../../../../mixins/database/database-clock.ts';
import { CallTime, MAX_CALL_MS, maxCallMs } from './call-time.ts';
import type { EffectContext, EffectEnd } from './effect.ts';

/**
 * Makes a call of a flow, which takes `maxMs` milliseconds at most, and returns its end. `call` masks its value by the secrets of all credentials that the run
 * has used; errors are masked here. Journal, steps and expressions see no other form of them.
 */
export async function completeCall(
  context: EffectContext,
  call: (time: CallTime) => Promise<Json>,
  maxMs = maxCallMs(context.task),
): Promise<EffectEnd> {
  const { deadline, signal, secrets } = context;
  const runMs = deadline - databaseClock.now();
  const timeoutMs = Math.min(runMs, maxMs);
  if (timeoutMs <= 0) return { kind: 'timed-out' };
  const time = new CallTime(timeoutMs, signal);
  try {
    if (!secrets.isComplete) await time.await(secrets.complete());
    return { kind: 'succeeded', value: await call(time) };
  } catch (error) {
    if (error instanceof FlowError) return failWith(error, secrets);
    if (!(error instanceof OutboundError) || error.kind === 'ABORTED') throw error;
    if (error.kind !== 'TIMEOUT') return failWith(flowErrorOf(error.kind, error.message), secrets);
    return runMs <= maxMs ? { kind: 'timed-out' } : failWith(callTimeout(timeoutMs), secrets);
  }
}

const failWith = ({ problem }: FlowError, secrets: EffectContext['secrets']): EffectEnd => ({
  kind: 'failed',
  problem: { ...problem, detail: secrets.maskText(problem.detail) },
});

const callTimeout = (ms: number): FlowError =>
  flowError(
    'timeout',
    'TASK_TIMEOUT',
    `there was no whole answer within ${ms} ms; a longer timeout of the task waits for up to ${MAX_CALL_MS} ms`,
  );

/** Makes the flow's error for a failed request. */
function flowErrorOf(kind: Exclude<OutboundError['kind'], 'ABORTED' | 'TIMEOUT'>, detail: string) {
  switch (kind) {
    case 'TARGET_REFUSED':
      return flowError('validation', 'TARGET_REFUSED', detail);
    case 'INVALID_REQUEST':
      return flowError('expression', 'EXPRESSION_FAILED', detail);
    case 'TOO_LARGE':
      return flowError('runtime', 'OUTPUT_TOO_LARGE', detail);
    case 'CONNECTION_FAILED':
      return flowError('communication', 'CONNECTION_FAILED', detail);
  }
}
