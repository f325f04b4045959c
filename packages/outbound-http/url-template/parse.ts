import { LONGEST_URL } from '../target.ts';
import { isDotSegment } from './dot-segment.ts';
import { UrlTemplateError } from './error.ts';

/** A literal text, or a placeholder by its name. */
export type Piece = string | { readonly name: string };

/** An absolute http or https URL with `{placeholders}` in its path and query. */
export interface UrlTemplate {
  /** The origin of every URL that is made of the template: scheme, host and port, as `URL.origin`. */
  readonly origin: string;
  /** The names of the placeholders in the path, each once, in their order. */
  readonly pathNames: readonly string[];
  /** The names of the placeholders in the query, each once, in their order. */
  readonly queryNames: readonly string[];
  /** The pieces of each segment of the path. A template without a path has no segment. */
  readonly segments: readonly (readonly Piece[])[];
  /** The pieces of the query, without its `?`. */
  readonly query: readonly Piece[];
}

const NAME = /^[A-Za-z0-9_.-]{1,64}$/;
const PLACEHOLDER = /\{([^{}]*)\}/;
const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]*):/;
/** What stands before the path, in a text that may be no absolute URL. */
const START = /^[^/?]*(?:\/\/[^/?]*)?/;
/** The parts of an absolute URL without a fragment: what stands before the path, the path, the query. */
const PARTS = /^(https?:\/\/[^/?]+)(\/[^?]*)?(?:\?(.*))?$/i;

/**
 * Parses a template. Throws `UrlTemplateError`. A template is stricter than a URL, so that no value can change the
 * path's structure: it has no dot segments, no stray `%`, and no characters that the URL parser drops. It has no
 * fragment either, because a fragment is never sent.
 */
export function parseUrlTemplate(text: string): UrlTemplate {
  assertCharacters(text);
  assertBraces(text);
  const [base, path, query] = splitParts(text);
  const segments = path.split('/').slice(1).map(piecesOf);
  const pieces = piecesOf(query);
  for (const literal of [...segments.flat(), ...pieces]) assertEscapes(literal);
  for (const segment of segments) assertNoDotSegment(segment);
  return {
    origin: originOf(base),
    pathNames: namesOf(segments.flat()),
    queryNames: namesOf(pieces),
    segments,
    query: pieces,
  };
}

function assertCharacters(text: string): void {
  if (text.length > LONGEST_URL) {
    throw new UrlTemplateError('TOO_LONG', `The URL has more than ${LONGEST_URL} characters.`);
  }
  if (/[\0-\x20\x7f\\]/.test(text) || !text.isWellFormed()) {
    throw new UrlTemplateError(
      'INVALID_CHARACTER',
      'The URL has a space, a control character, a backslash or half a surrogate pair; encode it, such as %20.',
    );
  }
}

function assertBraces(text: string): void {
  const [first, ...others] = text.split('{');
  const placeholders = others.map((other) => other.split('}'));
  if (first?.includes('}') || placeholders.some(({ length }) => length !== 2)) {
    throw new UrlTemplateError(
      'UNBALANCED_BRACES',
      'The URL has a brace without its partner; a brace that is meant literally is %7B or %7D.',
    );
  }
  for (const [name = ''] of placeholders) assertName(name);
}

function assertName(name: string): void {
  if (NAME.test(name)) return;
  throw new UrlTemplateError(
    'INVALID_NAME',
    `{${name.slice(0, 64)}} is not a placeholder: its name needs 1 to 64 of A-Z a-z 0-9 _ . -`,
  );
}

/** Returns all that stands before the path, the path and the query. */
function splitParts(text: string): [string, string, string] {
  if (text.includes('#')) {
    throw new UrlTemplateError('HAS_FRAGMENT', 'The URL has a fragment (#), which is never sent.');
  }
  const scheme = SCHEME.exec(text)?.[1]?.toLowerCase();
  const [, base = START.exec(text)?.[0] ?? '', path = '', query = ''] = PARTS.exec(text) ?? [];
  if (scheme !== undefined && scheme !== 'http' && scheme !== 'https') {
    throw new UrlTemplateError('OTHER_SCHEME', 'Only http and https URLs can be called.');
  }
  if (PLACEHOLDER.test(base)) {
    throw new UrlTemplateError(
      'PLACEHOLDER_MISPLACED',
      'A placeholder may stand in the path and the query only, not in scheme, host or port.',
    );
  }
  return [base, path, query];
}

function originOf(base: string): string {
  if (base.includes('@')) {
    throw new UrlTemplateError('HAS_CREDENTIALS', 'The URL must not carry credentials.');
  }
  const url = PARTS.test(base) ? URL.parse(base) : null;
  if (url) return url.origin;
  throw new UrlTemplateError(
    'NOT_ABSOLUTE',
    'The URL is not absolute: it needs https:// or http://, a host and perhaps a port.',
  );
}

const piecesOf = (text: string): Piece[] =>
  text
    .split(PLACEHOLDER)
    .map((piece, index) => (index % 2 === 0 ? piece : { name: piece }))
    .filter((piece) => piece !== '');

const namesOf = (pieces: readonly Piece[]): string[] => [
  ...new Set(pieces.flatMap((piece) => (typeof piece === 'string' ? [] : [piece.name]))),
];

/** A stray `%` could become an encoded byte with the value that follows it. */
function assertEscapes(piece: Piece): void {
  if (typeof piece !== 'string' || !/%(?![\da-f]{2})/i.test(piece)) return;
  throw new UrlTemplateError(
    'INVALID_ESCAPE',
    'The URL has a % that does not begin an encoded byte such as %20; a literal % is %25.',
  );
}

function assertNoDotSegment(segment: readonly Piece[]): void {
  const [literal] = segment;
  if (typeof literal !== 'string' || segment.length > 1 || !isDotSegment(literal)) return;
  throw new UrlTemplateError('DOT_SEGMENT', 'The path of the URL has a segment that is . or ..');
}
