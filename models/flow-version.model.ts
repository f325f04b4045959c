import { actor } from './actor.ts';
import { type DocumentOf, defineModel, field } from './define-model.ts';

/** A version of a flow's file. Never changed. */
const fields = {
  _id: field.number,
  flowId: field.number,
  /** From 1, in the order in which the flow's own document took them. */
  sequence: field.number,
  content: field.string,
  createdBy: actor,
  createdAt: field.date,
};
export type FlowVersionDocument = DocumentOf<typeof fields>;

export const FlowVersionModel = defineModel({
  name: 'FlowVersion',
  collection: 'flow_versions',
  fields,
  indexes: [[{ flowId: 1, sequence: -1 }, { unique: true }]],
});
