import { findSecrets, type Json } from '@workspace-automation/flow-language';
import { MASKED } from '../../../support/masking/mask.ts';
import { maskJson } from '../../../support/masking/mask-json.ts';

/** Replaces what looks like a secret, such as a token in a known form, in every text of a value. */
export const maskSecrets = (value: unknown): unknown =>
  maskJson(value as Json, { text: maskText, number: (number) => number });

function maskText(text: string): string {
  let masked = '';
  let shown = 0;
  const findings = findSecrets(text).sort((a, b) => a.start - b.start);
  for (const { start, end } of findings) {
    if (end <= shown) continue;
    if (start >= shown) masked += text.slice(shown, start) + MASKED;
    shown = end;
  }
  return masked + text.slice(shown);
}
