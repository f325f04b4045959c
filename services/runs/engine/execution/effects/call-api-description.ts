import {
  type ApiDescriptionEffect,
  apiDescriptionOutput,
  flowError,
} from '@workspace-automation/flow-language';
import type { OutboundResponse } from '@workspace-automation/outbound-http';
import type { Actions } from '../../../../contracts.ts';
import { refusalError } from './call-refusal.ts';
import type { CallTime } from './call-time.ts';
import { completeCall } from './complete-call.ts';
import { chooseCredential } from './credential-choice.ts';
import type { EffectContext, EffectEnd } from './effect.ts';
import { readAnswer, sendRequest } from './send-request.ts';

type PrepareCall = Actions['connections.prepareCall'];
type PreparedCall = Extract<PrepareCall['result'], { ok: true }>;
/** What the call asks `connections` to prepare. */
type Question = PrepareCall['params'];

/** One call through an API description. */
interface DescribedCall {
  effect: ApiDescriptionEffect;
  context: EffectContext;
  time: CallTime;
}

/** Sends one request through an API description, with the credential that the task names. */
export async function callApiDescription(
  effect: ApiDescriptionEffect,
  context: EffectContext,
): Promise<EffectEnd> {
  /** The credential whose secret was sent; null while none was. */
  let credentialId: number | null = null;
  const end = await completeCall(context, async (time) => {
    const call = { effect, context, time };
    const question = questionOf(effect, context.run);
    const prepared = await prepareCall(question, call);
    credentialId = prepared.credentialId;
    const response = await sendPrepared(prepared, call);
    const answer = isTokenRefused(prepared, response)
      ? await sendWithNewToken(question, prepared, response, call)
      : response;
    return readAnswer(answer, context, () => apiDescriptionOutput(effect, answer, context.secrets));
  });
  return credentialId === null ? end : { ...end, credentialId };
}

/** Characters of all values in an address. No address may be as long, and `connections` need not be asked. */
const MAX_ADDRESS_CHARS = 16 * 1024;

function questionOf(
  { apiDescriptionId, credential, path, query }: ApiDescriptionEffect,
  run: EffectContext['run'],
): Question {
  const { workspaceId } = run;
  const values = [...Object.entries(path), ...Object.entries(query)].flat(2);
  if (values.reduce((chars, { length }) => chars + length, 0) > MAX_ADDRESS_CHARS) {
    const detail = `the values of "path" and "query" have more than ${MAX_ADDRESS_CHARS} characters`;
    throw flowError('validation', 'TARGET_REFUSED', detail);
  }
  return {
    workspaceId,
    apiDescriptionId,
    credential: chooseCredential(credential, run),
    path,
    query,
  };
}

/** Prepares the request. Run and journal know its secrets from then on, so that answers can be masked. */
async function prepareCall(
  question: Question,
  { context, time }: DescribedCall,
): Promise<PreparedCall> {
  const prepared = await time.await(context.tools.connections.prepareCall(question));
  if (!prepared.ok) throw refusalError(prepared);
  const { credentialId, secrets, sealedSecrets: sealed } = prepared;
  const isNew = context.secrets.add(credentialId, secrets);
  const sent = isNew && credentialId !== null && sealed ? { credentialId, sealed } : null;
  await context.begin(sent);
  return prepared;
}

function sendPrepared(
  { method, url, secretHeaders }: PreparedCall,
  { effect, context, time }: DescribedCall,
): Promise<OutboundResponse> {
  const { headers, body } = effect;
  return sendRequest({ method, url, headers, body, secretHeaders }, context, time);
}

const isTokenRefused = ({ tokenId }: PreparedCall, { status }: OutboundResponse): boolean =>
  tokenId !== null && status === 401;

/**
 * Sends the request once more, with a new token of the same credential. Its `Idempotency-Key` stays the same: a
 * server that refused the token has not carried the request out. Without another token the refusal is the answer.
 */
async function sendWithNewToken(
  question: Question,
  { credentialId, tokenId }: PreparedCall,
  refusal: OutboundResponse,
  call: DescribedCall,
): Promise<OutboundResponse> {
  const renewed = await prepareCall(
    {
      ...question,
      ...(credentialId === null ? {} : { credential: { kind: 'id', id: credentialId } }),
      ...(tokenId === null ? {} : { refusedToken: tokenId }),
    },
    call,
  );
  return renewed.tokenId === tokenId ? refusal : sendPrepared(renewed, call);
}
