import { type HttpEffect, httpOutput } from '@workspace-automation/flow-language';
import { completeCall } from './complete-call.ts';
import type { EffectContext, EffectEnd } from './effect.ts';
import { readAnswer, sendRequest } from './send-request.ts';

/** Sends one HTTP request of a flow. */
export function sendHttpRequest(effect: HttpEffect, context: EffectContext): Promise<EffectEnd> {
  return completeCall(context, async (time) => {
    const { method, url, headers, body } = effect;
    const response = await sendRequest({ method, url, headers, body }, context, time);
    return readAnswer(response, context, () => httpOutput(effect, response, context.secrets));
  });
}
