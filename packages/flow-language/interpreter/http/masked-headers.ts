import type { HttpEffect } from '../effect.ts';
import { type Interval, type SecretText, TextFinder } from './text-finder.ts';

/** The text that replaces a secret. */
export const MASK = '***';

/** Matches the name of a header whose value is a session, a token or a challenge for one. */
const SECRET_NAME =
  /(?:^|-)(?:auth|authenticate|authentication|authorization|token|cookie2?|session|secret|jwt|api-?key|csrf|xsrf)(?:-|$)/;
/** Characters from which a value counts as a secret. A shorter value is not masked: it could be part of any word. */
const MIN_SECRET_LENGTH = 8;

/**
 * Masks secrets in the headers of an answer, because the output is stored and shown to every member of the workspace.
 * Masked are secret headers, and values of the request's query and secret headers that the server repeats in headers
 * such as `Link`.
 */
export function maskedHeaders(
  headers: Readonly<Record<string, string>>,
  request: Pick<HttpEffect, 'url' | 'headers'>,
): Record<string, string> {
  const repeated = new TextFinder(secretTextsOf(request));
  const masked = ([name, value]: [string, string]) => [
    name,
    SECRET_NAME.test(name) ? MASK : maskParts(value, repeated.find(value)),
  ];
  return Object.fromEntries(Object.entries(headers).map(masked));
}

function maskParts(value: string, parts: readonly Interval[]): string {
  let masked = '';
  let shown = 0;
  for (const { start, end } of parts) {
    masked += value.slice(shown, start) + MASK;
    shown = end;
  }
  return masked + value.slice(shown);
}

/** Lists the texts to mask. Of a pair of the query, the name stays. */
function secretTextsOf({ url, headers }: Pick<HttpEffect, 'url' | 'headers'>): SecretText[] {
  const pairs = queryPairsOf(url).flatMap(([name, value]): SecretText[] => [
    ...(value === '' ? [] : [{ text: `${name}=${value}`, keep: name.length + 1 }]),
    ...secretTexts(value),
    ...secretTexts(decodeText(value)),
  ]);
  const secrets = Object.entries(headers)
    .filter(([name]) => SECRET_NAME.test(name))
    .flatMap(([, value]) => [value, ...value.split(/[\s;,=]+/)])
    .flatMap(secretTexts);
  return [...pairs, ...secrets];
}

const secretTexts = (text: string): SecretText[] =>
  text.length < MIN_SECRET_LENGTH ? [] : [{ text, keep: 0 }];

/** Returns name and value of each pair of the query, still encoded. A pair without `=` has an empty name. */
function queryPairsOf(url: string): [string, string][] {
  const query = /\?([^#]*)/.exec(url)?.[1] ?? '';
  return query.split('&').map((pair) => {
    const at = pair.indexOf('=');
    return at < 0 ? ['', pair] : [pair.slice(0, at), pair.slice(at + 1)];
  });
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
