import type { EffectContext, EffectEnd, EffectKind, EffectOf, PerformEffect } from './effect.ts';
import { sendHttpRequest } from './http.ts';
import { completeWait } from './wait.ts';

/** The function that carries out each kind of effect. */
const EFFECTS: { readonly [Kind in EffectKind]: PerformEffect<Kind> } = {
  'call-http': sendHttpRequest,
  /** Never called: `REFUSED_CALLS` of the flow language refuses each file with such a call until this service sends it. */
  'call-api-description': () => Promise.reject(new Error('call: apiDescription was not refused')),
  wait: completeWait,
};

/** Carries an effect out by its kind. */
export function performEffect<Kind extends EffectKind>(
  effect: EffectOf<Kind> & { kind: Kind },
  context: EffectContext,
): Promise<EffectEnd> {
  return EFFECTS[effect.kind](effect, context);
}
