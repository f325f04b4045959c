import { type Effect, flowError, type Pending } from '@workspace-automation/flow-language';
import { callApiDescription } from './call-api-description.ts';
import { callIssue } from './call-issue.ts';
import type { EffectContext, EffectEnd, EffectKind, EffectOf, PerformEffect } from './effect.ts';
import { sendHttpRequest } from './http.ts';
import { receiveSignal } from './receive-signal.ts';

/** The function that carries out each kind of effect. */
const EFFECTS: { readonly [Kind in EffectKind]: PerformEffect<Kind> } = {
  'call-http': sendHttpRequest,
  'call-api-description': callApiDescription,
  'call-issue': callIssue,
  run: refuseRun,
  listen: receiveSignal,
};

/** Fails: this version of the service checks `run: workflow`, and does not carry it out. */
async function refuseRun(): Promise<EffectEnd> {
  const detail = 'this version of the service does not run a flow by a flow';
  const { problem } = flowError('runtime', 'NOT_SUPPORTED', detail, 501);
  return { kind: 'failed', problem };
}

/** Whether an effect is prepared first, and begins by `EffectContext.begin`. */
export const isPrepared = ({ kind }: Effect): boolean => kind === 'call-api-description';

/** Carries an effect out by its kind. */
export function performEffect<Kind extends EffectKind>(
  effect: EffectOf<Kind> & { kind: Kind },
  context: EffectContext,
): Promise<EffectEnd | Pending> {
  return EFFECTS[effect.kind](effect, context);
}
