import type { Effect } from '@workspace-automation/flow-language';
import { callApiDescription } from './call-api-description.ts';
import type { EffectContext, EffectEnd, EffectKind, EffectOf, PerformEffect } from './effect.ts';
import { sendHttpRequest } from './http.ts';
import { completeWait } from './wait.ts';

/** The function that carries out each kind of effect. */
const EFFECTS: { readonly [Kind in EffectKind]: PerformEffect<Kind> } = {
  'call-http': sendHttpRequest,
  'call-api-description': callApiDescription,
  wait: completeWait,
};

/** Whether an effect is prepared first, and begins by `EffectContext.begin`. */
export const isPrepared = ({ kind }: Effect): boolean => kind === 'call-api-description';

/** Carries an effect out by its kind. */
export function performEffect<Kind extends EffectKind>(
  effect: EffectOf<Kind> & { kind: Kind },
  context: EffectContext,
): Promise<EffectEnd> {
  return EFFECTS[effect.kind](effect, context);
}
