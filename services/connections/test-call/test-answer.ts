import { contentOf, FlowError, maskedHeaders, textOf } from '@workspace-automation/flow-language';
import type { OutboundResponse } from '@workspace-automation/outbound-http';
import type { Mask } from '../../../support/masking/mask.ts';
import { maskAndCut } from '../../../support/masking/mask-and-cut.ts';
import type { TestAnswer } from '../contract/test-calls.ts';

/** Characters of a body that a test answers. The rest is cut. */
const MAX_CHARS = 128 * 1024;
/** Bytes of a body that are read. A body of so many is longer than `MAX_CHARS` even without the characters that masks replace. */
export const MAX_BYTES = 1024 * 1024;

/** Makes the answer of a test: headers and body of the called system, without the secrets that the request had. */
export function testAnswerOf(
  { status, headers, body, truncated: wasCut }: OutboundResponse,
  sent: { url: string; headers: Record<string, string> },
  mask: Mask,
): Omit<TestAnswer, 'durationMs'> {
  const type = headers['content-type'] ?? '';
  const cut = maskAndCut(mask, textOf(type, body), { maxChars: MAX_CHARS, wasCut });
  const withoutSecrets = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [mask.maskText(name), mask.maskText(value)]),
  );
  return {
    status,
    // The mask comes first: a value of the request may be a part of the secret.
    headers: maskedHeaders(withoutSecrets, sent),
    body: cut.truncated ? cut.text : bodyValue(type, body, mask, cut.text),
    truncated: cut.truncated,
  };
}

/** The masked content of a body, as a flow gets it; the masked text of broken JSON. */
function bodyValue(
  type: string,
  body: Uint8Array,
  mask: Mask,
  maskedText: string,
): TestAnswer['body'] {
  try {
    return mask.maskJson(contentOf(type, body, mask));
  } catch (error) {
    if (!(error instanceof FlowError)) throw error;
    return maskedText;
  }
}
