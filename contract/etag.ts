import { hash } from 'node:crypto';

/** The strong ETag of a JSON body (RFC 9110, 8.8.3): a hash of the text that is sent. */
export const etagOf = (body: unknown): string => etagOfText(JSON.stringify(body));

/** The same of a body that is JSON already. */
export const etagOfText = (json: string): string => `"${hash('sha256', json, 'base64url')}"`;

/** An entity tag (RFC 9110, section 8.8.3). Node reads a byte of a header above 7F as the character of that number. */
const ENTITY_TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;
/** A list of entity tags, in which elements may be empty (RFC 9110, section 5.6.1.2). */
const ENTITY_TAGS = new RegExp(
  String.raw`^[\t ]*(?:${ENTITY_TAG.source}[\t ]*)?(?:,[\t ]*(?:${ENTITY_TAG.source}[\t ]*)?)*$`,
);
const ANY = /^[\t ]*\*[\t ]*$/;

/** The entity tags of an `If-Match` or `If-None-Match`; `*` for any tag, null for a malformed header. */
export function parseEntityTags(header: string): readonly string[] | '*' | null {
  if (ANY.test(header)) return '*';
  return ENTITY_TAGS.test(header) ? (header.match(ENTITY_TAG) ?? []) : null;
}

/**
 * Whether an `If-Match` header names the ETag, or anything (`*`). A weak tag matches nothing (RFC 9110,
 * section 13.1.1), and neither does a malformed header.
 */
export const matchesStrongly = (header: string, etag: string): boolean =>
  names(parseEntityTags(header), (tag) => tag === etag);

/**
 * Whether an `If-None-Match` header names the ETag, weak or strong, or anything (RFC 9110, section 13.1.2). A
 * malformed header matches nothing.
 */
export const matchesWeakly = (header: string, etag: string): boolean =>
  names(parseEntityTags(header), (tag) => tag.replace(/^W\//, '') === etag);

const names = (
  tags: ReturnType<typeof parseEntityTags>,
  isMeant: (tag: string) => boolean,
): boolean => tags === '*' || (tags?.some(isMeant) ?? false);
