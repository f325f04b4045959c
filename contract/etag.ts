import { hash } from 'node:crypto';

/** The strong ETag of a JSON body (RFC 9110, 8.8.3): a hash of the text that is sent. */
export const etagOf = (body: unknown): string => etagOfText(JSON.stringify(body));

/** The same of a body that is JSON already. */
export const etagOfText = (json: string): string => `"${hash('sha256', json, 'base64url')}"`;

const ENTITY_TAG = /(?:W\/)?"[^"]*"/g;

/** Whether an `If-Match` header names the ETag, or anything (`*`). A weak tag matches nothing (RFC 9110, 13.1.1). */
export const matchesStrongly = (header: string, etag: string): boolean =>
  header.trim() === '*' || tagsOf(header).includes(etag);

/** Whether an `If-None-Match` header names the ETag, weak or strong, or anything (RFC 9110, 13.1.2). */
export const matchesWeakly = (header: string, etag: string): boolean =>
  header.trim() === '*' || tagsOf(header).some((tag) => tag.replace(/^W\//, '') === etag);

const tagsOf = (header: string): string[] => header.match(ENTITY_TAG) ?? [];
