import { actor } from './actor.ts';
import { changedFields, outboxIndex } from './changed-document.ts';
import { type DocumentOf, defineModel, field } from './define-model.ts';
import { triggerIndexes, triggerSlots } from './trigger-slots.ts';

/** A webhook: a URL whose requests run a flow. */
const fields = {
  _id: field.number,
  workspaceId: field.number,
  flowId: field.number,
  /** SHA-256 of the token in the URL, by which a request finds its webhook. */
  tokenHash: field.string,
  /** The token, sealed by `connections`. */
  sealedToken: field.string,
  /** The secret of the signatures, sealed by `connections`. Null for a webhook that checks none. */
  sealedSecret: field.nullable(field.string),
  createdBy: actor,
  createdAt: field.date,
  ...triggerSlots,
  ...changedFields,
};
export type WebhookDocument = DocumentOf<typeof fields>;

export const WebhookModel = defineModel({
  name: 'Webhook',
  collection: 'webhooks',
  fields,
  indexes: [
    outboxIndex,
    ...triggerIndexes,
    [{ tokenHash: 1 }, { unique: true, partialFilterExpression: { tokenHash: { $exists: true } } }],
  ],
  lifecycle: {
    workspace: { remove: 'workspaceId' },
    person: { rename: ['createdBy'] },
  },
});
