import { actor } from './actor.ts';
import { type DocumentOf, defineModel, field } from './define-model.ts';

/** A version of a flow's file. A stored version never changes. */
const fields = {
  _id: field.number,
  flowId: field.number,
  /** The number of the version in its flow, from 1, in the order in which the flow's document got the versions. */
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
  lifecycle: {
    workspace: { removeWith: 'flows', where: (flowId) => ({ flowId }) },
    person: { rename: ['createdBy'] },
  },
});
