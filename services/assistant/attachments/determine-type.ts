import { Problem } from '../../../contract/problem.ts';
import { AttachmentTypeMismatch, AttachmentTypeNotAllowed } from './attachments.problems.ts';
import { endingOf } from './file-name.ts';
import { FILE_KINDS, type FileKind } from './file-types.ts';

/** Bytes at the beginning of a file by which its type is found. */
export const HEAD_BYTES = 4_100;

/** What a file with this name has to be. Throws 415 for a file that is not taken. */
export function expectedKind(name: string): FileKind {
  const ending = endingOf(name);
  const kind = Object.hasOwn(FILE_KINDS, ending) ? FILE_KINDS[ending] : undefined;
  if (kind) return kind;
  const what = ending ? `A file that ends with .${ending}` : 'A file without an ending';
  throw new Problem(AttachmentTypeNotAllowed, `${what} is not taken; ${ALLOWED}.`);
}

const ALLOWED = `possible are ${Object.keys(FILE_KINDS)
  .map((ending) => `.${ending}`)
  .join(', ')}`;

/**
 * What is found in texts as well: XML is a text, and two letters are enough for the others (`BM`, `MZ`), whose files have NUL
 * in their first bytes.
 */
const TEXT_LOOKALIKES: ReadonlySet<string> = new Set([
  'application/xml',
  'image/bmp',
  'application/x-msdownload',
]);

/** Throws 415 for a file whose first bytes are not what its name says. */
export async function assertKind(
  name: string,
  { type, found }: FileKind,
  head: Buffer,
): Promise<void> {
  const { fileTypeFromBuffer } = await import('file-type');
  const detected = await fileTypeFromBuffer(head).catch(() => undefined);
  const isRight = found
    ? detected !== undefined && found.includes(detected.mime)
    : isText(head) && (detected === undefined || TEXT_LOOKALIKES.has(detected.mime));
  if (isRight) return;
  const seen = detected?.mime ?? (isText(head) ? 'text' : 'of no known type');
  throw new Problem(
    AttachmentTypeMismatch,
    `"${name}" would be ${type}, but its bytes are ${seen}; ${ALLOWED}.`,
  );
}

/** Whether the bytes are UTF-8 without NUL; the last character may be cut. */
function isText(head: Buffer): boolean {
  if (head.includes(0)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false;
  }
}
