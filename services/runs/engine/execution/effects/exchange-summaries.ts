import type { Mask } from '@workspace-automation/flow-language';
import type { OutboundRequest, OutboundResponse } from '@workspace-automation/outbound-http';
import type { RequestSummary, ResponseSummary } from '../../../../../models/exchange.ts';
import { MASKED } from '../../../../../support/masking/mask.ts';

/** Characters of an address that a step shows. The rest is cut. */
const MAX_URL_CHARS = 2_000;
/** Header names that a step shows of a request and of a response. Further names are left out. */
const MAX_NAMES = 100;
/** Characters of a header name that a step shows. The rest is cut. */
const MAX_NAME_CHARS = 100;

type MaskText = Pick<Mask, 'maskText'>;
type SentRequest = Pick<OutboundRequest, 'method' | 'url' | 'body'> & {
  /** All groups of headers by name. Their values are not read. */
  headers: readonly (Readonly<Record<string, string>> | undefined)[];
};

/** Describes a request without the values of its headers and of its query, and without secrets of the mask. */
export const summarizeRequest = (
  { method, url, headers, body }: SentRequest,
  mask: MaskText,
): RequestSummary => ({
  method,
  url: urlWithoutValues(url, mask),
  headerNames: namesOf(Object.assign({}, ...headers), mask),
  bytes: body ? Buffer.byteLength(body) : 0,
});

/** Describes a response by its status, the names of its headers, and the bytes of its decoded body. */
export const summarizeResponse = (
  { status, headers, body }: OutboundResponse,
  mask: MaskText,
): ResponseSummary => ({
  status,
  headerNames: namesOf(headers, mask),
  bytes: body.byteLength,
});

/**
 * Masks the values of the query, and drops the fragment and the name and password of the authority. The mask is
 * applied before and after: reading an address drops line breaks, which could hide a secret from the first mask.
 */
function urlWithoutValues(text: string, mask: MaskText): string {
  const url = URL.parse(mask.maskText(text));
  if (!url) return MASKED;
  const query = url.search && `?${url.search.slice(1).split('&').map(pairWithoutValue).join('&')}`;
  const shown = mask.maskText(`${url.protocol}//${url.host}${url.pathname}${query}`);
  return cut(shown, MAX_URL_CHARS);
}

/** Masks the value of a pair. A pair without `=` is all value. */
function pairWithoutValue(pair: string): string {
  const at = pair.indexOf('=');
  return at < 0 ? MASKED : `${pair.slice(0, at)}=${MASKED}`;
}

const namesOf = (headers: Readonly<Record<string, string>>, mask: MaskText): string[] =>
  [...new Set(Object.keys(headers).map((name) => name.toLowerCase()))]
    .sort()
    .slice(0, MAX_NAMES)
    .map((name) => cut(mask.maskText(name), MAX_NAME_CHARS));

const cut = (text: string, chars: number): string =>
  text.length > chars ? `${text.slice(0, chars - 1).toWellFormed()}…` : text;
