import { LONGEST_URL } from '../target.ts';
import { isDotSegment } from './dot-segment.ts';
import { type TemplatePart, UrlTemplateError, type UrlTemplateErrorCode } from './error.ts';
import type { Piece, UrlTemplate } from './parse.ts';

/** Parameters of a query. A list makes one parameter for each element. */
export type QueryParameters = Readonly<Record<string, string | readonly string[]>>;

export interface UrlValues {
  /** The values of the placeholders in the path, one for each. */
  path?: Readonly<Record<string, string>>;
  /** The values of the placeholders in the query, and further parameters, which are added to the query. */
  query?: QueryParameters;
}

/**
 * Fills a template. Every value is percent-encoded, so the URL has the template's origin and as many segments as its
 * path. Throws `UrlTemplateError` when the values do not fit.
 */
export function fillUrlTemplate(template: UrlTemplate, values: UrlValues): URL {
  const { path = {}, query = {} } = values;
  assertNoSurplus(template, path);
  const segments = template.segments.map((segment) => `/${fillSegment(segment, path)}`);
  const filled = template.query.map((piece) => fillPiece('query', piece, query)).join('');
  const further = Object.entries(query).filter(([name]) => !template.queryNames.includes(name));
  const search = [filled, ...further.flatMap(parametersOf)].filter((part) => part !== '');
  const text = [`${template.origin}${segments.join('')}`, search.join('&')];
  return assertLength(new URL(text.filter((part) => part !== '').join('?')));
}

/** Returns a copy of a URL with further parameters. The parameters that the URL has stay as they are. */
export function addQuery(url: URL, parameters: QueryParameters): URL {
  const copy = new URL(url);
  const added = Object.entries(parameters).flatMap(parametersOf);
  copy.search = [copy.search.slice(1), ...added].filter((part) => part !== '').join('&');
  return assertLength(copy);
}

function assertNoSurplus({ pathNames }: UrlTemplate, path: object): void {
  const surplus = Object.keys(path).find((name) => !pathNames.includes(name));
  if (surplus === undefined) return;
  const names = pathNames.map((name) => `{${name}}`).join(', ');
  const allowed = names === '' ? 'it has no placeholders' : `its placeholders are ${names}`;
  const shown = JSON.stringify(surplus.slice(0, 64));
  throw valueError('SURPLUS_VALUE', 'path', surplus, `The path has no ${shown}: ${allowed}.`);
}

function fillSegment(segment: readonly Piece[], path: Readonly<Record<string, string>>): string {
  const text = segment.map((piece) => fillPiece('path', piece, path)).join('');
  const placeholder = segment.find((piece) => typeof piece !== 'string');
  if (placeholder === undefined || !isDotSegment(text)) return text;
  const { name } = placeholder;
  const why = `{${name}} makes the segment of the path . or .., which is not sent as it is.`;
  throw valueError('DOT_SEGMENT', 'path', name, why);
}

function fillPiece(part: TemplatePart, piece: Piece, values: QueryParameters): string {
  if (typeof piece === 'string') return piece;
  const { name } = piece;
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  if (value === undefined) {
    throw valueError('MISSING_VALUE', part, name, `{${name}} in the ${part} has no value.`);
  }
  if (typeof value !== 'string') {
    const why = `{${name}} in the ${part} takes one text, not a list.`;
    throw valueError('INVALID_VALUE', part, name, why);
  }
  if (value === '' && part === 'path') {
    throw valueError('EMPTY_VALUE', part, name, `{${name}} in the path must not be empty.`);
  }
  return encode(value, part, name);
}

const parametersOf = ([name, value]: [string, string | readonly string[]]): string[] =>
  (typeof value === 'string' ? [value] : value).map(
    (element) => `${encode(name, 'query', name)}=${encode(element, 'query', name)}`,
  );

/** `encodeURIComponent` throws for half a surrogate pair. */
function encode(text: string, part: TemplatePart, name: string): string {
  if (text.isWellFormed()) return encodeURIComponent(text);
  const why = `The ${part} has half a surrogate pair in ${JSON.stringify(name.slice(0, 64))}.`;
  throw valueError('INVALID_VALUE', part, name, why);
}

const valueError = (
  code: UrlTemplateErrorCode,
  part: TemplatePart,
  name: string,
  why: string,
): UrlTemplateError => new UrlTemplateError(code, why, { part, name });

function assertLength(url: URL): URL {
  if (url.href.length <= LONGEST_URL) return url;
  throw new UrlTemplateError('TOO_LONG', `The filled URL has more than ${LONGEST_URL} characters.`);
}
