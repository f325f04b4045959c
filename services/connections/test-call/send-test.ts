import {
  type OutboundClient,
  OutboundError,
  type OutboundResponse,
} from '@workspace-automation/outbound-http';
import { invalidField, Problem } from '../../../contract/problem.ts';
import { createMask, type Mask } from '../../../support/masking/mask.ts';
import { secretRedirect } from '../../../support/masking/secret-redirect.ts';
import type { CallRefusal, PreparedRequest } from '../contract/internal.ts';
import type { TestAnswer } from '../contract/test-calls.ts';
import { MAX_BYTES, testAnswerOf } from './test-answer.ts';
import {
  refusalProblem,
  type TargetField,
  TargetTimeout,
  TargetUnreachable,
  targetRefused,
} from './test-call.problems.ts';

/** Milliseconds that one request of a test may take; then the answer is 504. */
const REQUEST_MS = 20_000;

/** A test: one request, whose URL and secrets are prepared when it is sent. */
export interface TestRequest {
  /** `refusedToken` is the id of an OAuth token that the server has answered with 401. */
  prepare: (refusedToken?: string) => Promise<PreparedRequest | CallRefusal>;
  headers: Record<string, string>;
  body: string | null;
  /** The value of the request that names the target. */
  target: TargetField;
}

/**
 * Sends a test once, and shows the answer without secrets. A request whose OAuth token the server refuses is sent once
 * more with a new token.
 */
export async function sendTest(test: TestRequest, outbound: OutboundClient): Promise<TestAnswer> {
  const startedAt = performance.now();
  const first = maskedRequest(assertPrepared(await test.prepare(), test));
  const response = await send(first, test, outbound);
  const renewed = await renewedAfter(first, response, test);
  const { url, secretHeaders, mask } = renewed ?? first;
  const answer = renewed ? await send(renewed, test, outbound) : response;
  const sent = { url, headers: { ...test.headers, ...secretHeaders } };
  const durationMs = Math.round(performance.now() - startedAt);
  return { ...testAnswerOf(answer, sent, mask), durationMs };
}

/** A request with the mask of its secrets. */
interface MaskedRequest extends PreparedRequest {
  mask: Mask;
}

const maskedRequest = (
  prepared: PreparedRequest,
  earlier: readonly string[] = [],
): MaskedRequest => ({
  ...prepared,
  mask: createMask([...new Set([...prepared.secrets, ...earlier])]),
});

function assertPrepared(
  prepared: PreparedRequest | CallRefusal,
  test: TestRequest,
): PreparedRequest {
  if (!prepared.ok) throw refusalProblem(prepared, test.target);
  return prepared;
}

/** The request with a new token, after an answer that refuses the first one; null where there is no other token. */
async function renewedAfter(
  { tokenId, secrets }: PreparedRequest,
  { status }: OutboundResponse,
  test: TestRequest,
): Promise<MaskedRequest | null> {
  if (tokenId === null || status !== 401) return null;
  const renewed = assertPrepared(await test.prepare(tokenId), test);
  return renewed.tokenId === tokenId ? null : maskedRequest(renewed, secrets);
}

async function send(
  { method, url, secretHeaders, mask }: MaskedRequest,
  { headers, body, target }: TestRequest,
  outbound: OutboundClient,
): Promise<OutboundResponse> {
  try {
    return await outbound.send({
      method,
      url,
      headers,
      secretHeaders,
      body,
      timeoutMs: REQUEST_MS,
      maxBytes: MAX_BYTES,
      truncate: true,
      refuseRedirect: (to) => secretRedirect(url, to, mask),
    });
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    throw problemOf(error.kind, mask.maskText(error.message), target);
  }
}

function problemOf(kind: OutboundError['kind'], detail: string, target: TargetField): Problem {
  switch (kind) {
    case 'INVALID_REQUEST':
      return invalidField('headers', 'invalid_header', detail);
    case 'TARGET_REFUSED':
      return targetRefused(target, 'target_refused', detail);
    case 'TIMEOUT':
      return new Problem(TargetTimeout, detail);
    case 'CONNECTION_FAILED':
    case 'TOO_LARGE':
    case 'ABORTED':
      return new Problem(TargetUnreachable, detail);
  }
}
