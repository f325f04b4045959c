import type { Effect, Pending } from '@workspace-automation/flow-language';
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
  run: refuseEffect,
  listen: receiveSignal,
};

/** No plan has these effects yet: the compiler refuses their tasks. */
async function refuseEffect(): Promise<never> {
  throw new Error('the compiler makes no such task');
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
