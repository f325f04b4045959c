import { z } from 'zod';
import { problemType } from './problem.ts';

/** Describes the file that an action of the format `file` answers. */
export const FileAnswer = z.strictObject({
  name: z.string(),
  /** The media type. */
  type: z.string(),
  /** The length in bytes. */
  size: z.int().nonnegative(),
  /** The SHA-256 of the bytes in hexadecimal digits, of which the ETag is made. */
  sha256: z.string().regex(/^[\da-f]{64}$/),
});
export type FileAnswer = z.output<typeof FileAnswer>;

/** A part of a file: the offsets of its first and its last byte. */
export interface ByteRange {
  start: number;
  end: number;
}

export const TooManyDownloads = problemType(
  'TOO_MANY_DOWNLOADS',
  429,
  'Too many downloads at once',
);
