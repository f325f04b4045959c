import { randomBytes } from 'node:crypto';

/** A part of a form. One with a name of a file is a file. */
export interface Part {
  /** Absent for a part that a client makes wrong. */
  name?: string;
  fileName?: string;
  type?: string;
  content: Buffer | string;
}

/** A body of multipart/form-data, and the header that names its boundary. */
export interface Form {
  raw: Buffer;
  headers: { 'content-type': string };
}

export function formOf(...parts: readonly Part[]): Form {
  const boundary = randomBytes(12).toString('hex');
  const raw = Buffer.concat([
    ...parts.flatMap((part) => [
      Buffer.from(`--${boundary}\r\n${headersOf(part)}\r\n`),
      Buffer.from(part.content),
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ]);
  return { raw, headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } };
}

function headersOf({ name, fileName, type }: Part): string {
  const field = name === undefined ? '' : `; name="${name}"`;
  const file = fileName === undefined ? '' : `; filename="${fileName}"`;
  const declared = type === undefined ? '' : `Content-Type: ${type}\r\n`;
  return `Content-Disposition: form-data${field}${file}\r\n${declared}`;
}

/** A form with one file. */
export const fileForm = (content: Buffer | string, fileName = 'a.bin', type?: string): Form =>
  formOf({ name: 'file', fileName, content, ...(type ? { type } : {}) });
