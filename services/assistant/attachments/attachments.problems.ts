import { problemType } from '../../../contract/problem.ts';

export const AttachmentTypeNotAllowed = problemType(
  'ATTACHMENT_TYPE_NOT_ALLOWED',
  415,
  'Files of this type are not taken',
);
export const AttachmentTypeMismatch = problemType(
  'ATTACHMENT_TYPE_MISMATCH',
  415,
  'The file is not of the type that its name says',
);
