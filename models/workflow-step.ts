import { field } from './define-model.ts';

/** The fields of a step. The definition is JSON text: `$` keys, the order of keys and any depth stay. */
export const stepFields = {
  key: field.string,
  definition: field.string,
  /** SHA-256 of the definition. */
  hash: field.string,
};
export const workflowStep = field.object(stepFields);
