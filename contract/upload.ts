import { z } from 'zod';
import { problemType } from './problem.ts';

/** A request whose body is one file, as multipart/form-data (RFC 7578). */
export interface UploadRule {
  /** The name of the part with the file. The body has no other part. */
  field: string;
  /** The greatest length of the file in bytes. A longer one is answered 413. */
  maxBytes: number;
}

/**
 * The parameters that the gateway takes from the headers of the file's part. The client chooses both: the name may be a
 * path, and the type a lie.
 */
export const uploadedFile = { fileName: z.string(), fileType: z.string() };

export const TooManyUploads = problemType('TOO_MANY_UPLOADS', 429, 'Too many uploads at once');
