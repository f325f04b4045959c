import type { HttpEffect } from '../effect.ts';

/** What stands in place of a secret. */
export const MASK = '***';

/** Words in the name of a header that carries a session, a token or how to get one. */
const SECRET_NAME =
  /(?:^|-)(?:auth|authenticate|authentication|authorization|token|cookie2?|session|secret|jwt|api-?key|csrf|xsrf)(?:-|$)/;
/** Characters of a value that is masked wherever it stands; a shorter one could be part of any word. */
const MIN_SECRET_LENGTH = 8;

/**
 * The headers of an answer, by lower-case name. An output is stored and shown to every member of the
 * workspace: secret headers are masked in it, and so is what a server repeats of the request's query and
 * secret headers, as in `Link` and `Content-Location`.
 */
export function maskedHeaders(
  headers: Readonly<Record<string, string>>,
  request: Pick<HttpEffect, 'url' | 'headers'>,
): Record<string, string> {
  const repeated = replacementsOf(request);
  const masked = ([name, value]: [string, string]) => [
    name,
    SECRET_NAME.test(name) ? MASK : repeated.reduce(replace, value),
  ];
  return Object.fromEntries(Object.entries(headers).map(masked));
}

type Replacement = readonly [text: string, by: string];

const replace = (value: string, [text, by]: Replacement): string => value.replaceAll(text, by);

/** The longest first: one may be part of another. */
function replacementsOf({ url, headers }: Pick<HttpEffect, 'url' | 'headers'>): Replacement[] {
  const pairs = queryPairsOf(url).flatMap(([name, value]): Replacement[] => [
    ...(value === '' ? [] : [[`${name}=${value}`, `${name}=${MASK}`] as const]),
    ...secret(value),
    ...secret(decoded(value)),
  ]);
  const secrets = Object.entries(headers)
    .filter(([name]) => SECRET_NAME.test(name))
    .flatMap(([, value]) => [value, ...value.split(/[\s;,=]+/)])
    .flatMap(secret);
  return [...pairs, ...secrets].sort(([one], [other]) => other.length - one.length);
}

const secret = (value: string): Replacement[] =>
  value.length < MIN_SECRET_LENGTH ? [] : [[value, MASK]];

/** Name and value of each pair as they stand in the address; a pair without `=` is all value. */
function queryPairsOf(url: string): [string, string][] {
  const query = /\?([^#]*)/.exec(url)?.[1] ?? '';
  return query.split('&').map((pair) => {
    const at = pair.indexOf('=');
    return at < 0 ? ['', pair] : [pair.slice(0, at), pair.slice(at + 1)];
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
