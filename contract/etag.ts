import { hashOf } from '../support/hash.ts';

/** The strong ETag of a body (RFC 9110, section 8.8.3): the hash of the body's JSON text. */
export const etagOf = (body: unknown): string => etagOfText(JSON.stringify(body));

/** The strong ETag of a body whose JSON text is given. */
export const etagOfText = (json: string): string => `"${hashOf(json)}"`;

/** The strong ETag of a file whose SHA-256 is given in hexadecimal digits. */
export const etagOfFile = ({ sha256 }: { sha256: string }): string =>
  `"${Buffer.from(sha256, 'hex').toString('base64url')}"`;

/** An entity tag (RFC 9110, section 8.8.3). Node decodes each byte of a header above 7F as one Latin-1 character. */
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
 * Whether an `If-Match` header is `*` or contains the ETag (RFC 9110, section 13.1.1). A weak tag and a malformed
 * header match no ETag.
 */
export const matchesStrongly = (header: string, etag: string): boolean =>
  names(parseEntityTags(header), (tag) => tag === etag);

/**
 * Whether an `If-None-Match` header is `*` or contains the ETag, weak or strong (RFC 9110, section 13.1.2). A
 * malformed header matches no ETag.
 */
export const matchesWeakly = (header: string, etag: string): boolean =>
  names(parseEntityTags(header), (tag) => tag.replace(/^W\//, '') === etag);

const names = (
  tags: ReturnType<typeof parseEntityTags>,
  isMeant: (tag: string) => boolean,
): boolean => tags === '*' || (tags?.some(isMeant) ?? false);
