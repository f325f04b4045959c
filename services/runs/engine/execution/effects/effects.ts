import type { Effect, Pending } from '@workspace-automation/flow-language';
import { callAgent } from './call-agent.ts';
import { callApiDescription } from './call-api-description.ts';
import { callIssue } from './call-issue.ts';
import type { EffectContext, EffectEnd, EffectKind, EffectOf, PerformEffect } from './effect.ts';
import { sendHttpRequest } from './http.ts';
import { receiveSignal } from './receive-signal.ts';
import { runFlow } from './run-flow.ts';

/** The function that carries out each kind of effect. */
const EFFECTS: { readonly [Kind in EffectKind]: PerformEffect<Kind> } = {
  'call-http': sendHttpRequest,
  'call-api-description': callApiDescription,
  'call-issue': callIssue,
  'call-agent': callAgent,
  run: runFlow,
  listen: receiveSignal,
};

/** Whether an effect is prepared first, and begins by `EffectContext.begin`. */
export const isPrepared = ({ kind }: Effect): boolean => kind === 'call-api-description';

/** The effects that are calls to other systems, each in its turn. */
const CALLS: ReadonlySet<EffectKind> = new Set(['call-http', 'call-api-description', 'call-agent']);

/** Whether an effect is a call to another system, which waits for its turn. */
export const isCall = ({ kind }: Effect): boolean => CALLS.has(kind);

/** Carries an effect out by its kind. */
export function performEffect<Kind extends EffectKind>(
  effect: EffectOf<Kind> & { kind: Kind },
  context: EffectContext,
): Promise<EffectEnd | Pending> {
  return EFFECTS[effect.kind](effect, context);
}
