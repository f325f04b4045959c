import type { Path } from '../bson/path.ts';
import type { Document, Value } from '../bson/values.ts';

/** The document and the circumstances of an update, for its operators. */
export interface UpdateContext {
  document: Document;
  now: Date;
  isInsert: boolean;
}

/** Changes the value at one path. */
export type Apply = (path: Path, context: UpdateContext) => void;

/** Checks an operator's argument for one field and returns the change. */
export type UpdateOperator = (argument: Value, field: string) => Apply;
