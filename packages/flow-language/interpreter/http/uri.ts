import type { Json } from '../../plan.ts';
import type { Value } from '../host.ts';
import { flowError } from '../problem.ts';

const FIELD = /\{([^{}]*)\}/g;
/** A segment of a path, in which a field may have any name. A parser of URLs takes `\` for `/`. */
const SEGMENT = /(?:\{[^{}]*\}|[^/\\?#])+/g;
/** The path, which ends before the first `?` or `#` that is not in a field's name. */
const PATH = /^(?:\{[^{}]*\}|[^?#])*/;
/** A segment that changes the path, also when its dots are encoded. */
const DOT_SEGMENT = /^(?:\.|%2e){1,2}$/i;
/** Characters that a parser of URLs leaves out of the whole URL, and those that it leaves out at its ends. */
const LEFT_OUT = /[\t\n\r]|^[\0- ]+|[\0- ]+$/g;

/**
 * Fills a URI template: `{name}` is replaced by the top-level field of the input, fully percent-encoded, so that no
 * value adds a segment to the path. Throws `EXPRESSION_FAILED` for a field of the path that is undefined, null or empty,
 * and `TARGET_REFUSED` for values that make a segment of the path `.` or `..`, alone or together with other text of the
 * segment. A query parameter whose value is one field is left out when the field is undefined or null; otherwise such
 * a field is empty behind the path (RFC 6570, 3.2.1).
 */
export function expandUri(template: string, input: Value): string {
  const path = PATH.exec(template)?.[0] ?? '';
  const fill = (text: string, take: (name: string) => string): string =>
    text.replace(FIELD, (_, name: string) => percentEncode(take(name)));
  const filled = path.replace(SEGMENT, (segment) => {
    const text = fill(segment, (name) => segmentField(input, name));
    if (text !== segment) assertNoDotSegment(text);
    return text;
  });
  const rest = leaveOutUndefined(template.slice(path.length), input);
  return filled + fill(rest, (name) => fieldOf(input, name));
}

/** A query parameter with its separator, whose value is one field. */
const ONE_FIELD = /([?&])[^?&#={}]*=\{([^{}]*)\}(?=[&#]|$)/g;

/** Leaves out the query parameters that are one field without a value. */
function leaveOutUndefined(rest: string, input: Value): string {
  const fragment = rest.indexOf('#');
  const query = fragment === -1 ? rest : rest.slice(0, fragment);
  const kept = query.replace(ONE_FIELD, (pair, separator: string, name: string) => {
    if (filledField(input, name) !== undefined) return pair;
    return separator === '?' ? '?' : '';
  });
  return kept.replace(/^\?&/, '?').replace(/^\?$/, '') + rest.slice(query.length);
}

function assertNoDotSegment(segment: string): void {
  const read = segment.replace(LEFT_OUT, '');
  if (!DOT_SEGMENT.test(read)) return;
  throw flowError('validation', 'TARGET_REFUSED', `'${read}' can't stand in a path`);
}

function segmentField(input: Value, name: string): string {
  const field = fieldOf(input, name);
  if (field !== '') return field;
  const detail = `"${name}" in the path of the endpoint is undefined, null or empty in the task's input`;
  throw flowError('expression', 'EXPRESSION_FAILED', detail);
}

function fieldOf(input: Value, name: string): string {
  const field = filledField(input, name);
  return field === undefined ? '' : textOf(field);
}

/** Returns a field of the input; undefined for null, too. */
function filledField(input: Value, name: string): Json | undefined {
  if (input === null || typeof input !== 'object' || Array.isArray(input)) return undefined;
  return (Object.hasOwn(input, name) ? input[name] : undefined) ?? undefined;
}

/**
 * Checks the address that an expression makes. Throws `EXPRESSION_FAILED` for none at all, and for an empty segment
 * inside its path, which a value leaves that is undefined, null or empty.
 */
export function computedAddress(endpoint: Value): Value {
  if (endpoint === undefined || endpoint === null || endpoint === '') {
    const given = endpoint === '' ? 'empty' : String(endpoint);
    throw flowError('expression', 'EXPRESSION_FAILED', `the endpoint is ${given}`);
  }
  const url = typeof endpoint === 'string' ? URL.parse(endpoint) : null;
  if (url?.pathname.includes('//')) {
    const detail = 'a segment inside the path of the endpoint is empty';
    throw flowError('expression', 'EXPRESSION_FAILED', detail);
  }
  return endpoint;
}

/** Returns the address of a request with its query. Throws `TARGET_REFUSED`. */
export function addressOf(endpoint: Value, query: Value): string {
  const text = typeof endpoint === 'string' ? endpoint : '';
  const url = URL.parse(text);
  if (!url) {
    throw flowError('validation', 'TARGET_REFUSED', 'the endpoint is no absolute URL');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw flowError('validation', 'TARGET_REFUSED', 'the endpoint is no http or https URL');
  }
  if (url.username !== '' || url.password !== '') {
    throw flowError('validation', 'TARGET_REFUSED', 'the endpoint holds a name or password');
  }
  const added = pairsOf(query, 'query').map(([name, value]) => `${name}=${value}`);
  // Setting a part of a URL costs as much as parsing the whole URL.
  if (added.length > 0 || text.includes('?')) {
    url.search = [url.search.slice(1), ...added].filter((part) => part !== '').join('&');
  }
  if (text.includes('#')) url.hash = '';
  return url.href;
}

/** Returns percent-encoded pairs of name and value. A list makes one pair for each element; null makes no pair. */
export function pairsOf(map: Value, what: string): [string, string][] {
  return entriesOf(map, what).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter((element) => element !== null)
      .map((element): [string, string] => [percentEncode(name), percentEncode(textOf(element))]),
  );
}

/** Returns the entries of a map, and none for undefined and null. Throws `EXPRESSION_FAILED` for every other value. */
export function entriesOf(map: Value, what: string): [string, Json][] {
  if (map === undefined || map === null) return [];
  if (typeof map !== 'object' || Array.isArray(map)) {
    throw flowError('expression', 'EXPRESSION_FAILED', `the ${what} is no object`);
  }
  return Object.entries(map);
}

/** Returns the text of a value in a URL: a string unchanged, every other value as JSON. */
export function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Encodes all characters but the unreserved characters of RFC 3986. */
function percentEncode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
