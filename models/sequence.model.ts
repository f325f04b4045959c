import { defineModel, field } from './define-model.ts';

/** The ids of a collection that processes have taken so far. */
const fields = {
  /** The name of the collection. */
  _id: field.string,
  /** The highest id taken. */
  next: field.number,
};

export const SequenceModel = defineModel({
  name: 'Sequence',
  collection: 'sequences',
  fields,
  lifecycle: {
    workspace: { keep: 'a sequence is a number' },
    person: { keep: 'a sequence is a number' },
  },
});
