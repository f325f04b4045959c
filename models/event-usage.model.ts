import { type DocumentOf, defineModel, field } from './define-model.ts';

/** The outgoing events that a workspace has recorded, in sum. */
const fields = {
  /** The id of the workspace. */
  _id: field.number,
  /** Bytes of all events recorded so far, with their deliveries, about; those of removed events included. */
  recorded: field.number,
};
export type EventUsageDocument = DocumentOf<typeof fields>;

export const EventUsageModel = defineModel({
  name: 'EventUsage',
  collection: 'event_usages',
  fields,
  lifecycle: {
    workspace: { remove: '_id' },
    person: { keep: 'numbers name no person' },
  },
});
