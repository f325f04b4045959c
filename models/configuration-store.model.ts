import { changedFields, outboxIndex } from './changed-document.ts';
import { type DocumentOf, defineModel, field } from './define-model.ts';

export const STORE_STATUSES = ['ACTIVE', 'ARCHIVED'] as const;
export type StoreStatus = (typeof STORE_STATUSES)[number];

/** The credentials with which a flow calls its source and its destination. */
const flowCredentialPair = field.object({
  id: field.number,
  flowId: field.number,
  sourceAuthCredentialId: field.nullable(field.number),
  destinationAuthCredentialId: field.nullable(field.number),
});
const property = field.object({ id: field.number, key: field.string, value: field.string });

const fields = {
  _id: field.number,
  workspaceId: field.number,
  name: field.string,
  /** The name of the store in other systems, unique in its workspace. */
  externalId: field.string,
  status: field.stringOf<StoreStatus>(),
  /** One pair at most for each flow. */
  flowCredentialPairs: field.list(flowCredentialPair),
  /** One property at most for each key. */
  properties: field.list(property),
  createdAt: field.date,
  ...changedFields,
};
export type ConfigurationStoreDocument = DocumentOf<typeof fields>;

/** The name of the unique index by which an `externalId` names one store of a workspace. */
export const EXTERNAL_ID_INDEX = 'workspace_external_id';

export const ConfigurationStoreModel = defineModel({
  name: 'ConfigurationStore',
  collection: 'configuration_stores',
  fields,
  indexes: [
    outboxIndex,
    [
      { workspaceId: 1, externalId: 1 },
      {
        name: EXTERNAL_ID_INDEX,
        unique: true,
        partialFilterExpression: { externalId: { $exists: true } },
      },
    ],
    [{ workspaceId: 1, status: 1, _id: 1 }],
    // The stores that use a credential, which prevent its deletion.
    [{ 'flowCredentialPairs.sourceAuthCredentialId': 1, _id: 1 }],
    [{ 'flowCredentialPairs.destinationAuthCredentialId': 1, _id: 1 }],
  ],
  lifecycle: {
    workspace: { remove: 'workspaceId' },
    person: { keep: 'configuration stores name no person' },
  },
});
