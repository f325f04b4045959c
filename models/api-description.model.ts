import { changedFields, outboxIndex } from './changed-document.ts';
import { type DocumentOf, defineModel, field } from './define-model.ts';

export const METHOD_TYPES = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const;
export type MethodType = (typeof METHOD_TYPES)[number];

const fields = {
  _id: field.number,
  workspaceId: field.number,
  name: field.string,
  description: field.string,
  /** An absolute URL with `{placeholders}` in its path and its query. */
  url: field.string,
  methodType: field.stringOf<MethodType>(),
  authCredentialId: field.number,
  createdAt: field.date,
  ...changedFields,
};
export type ApiDescriptionDocument = DocumentOf<typeof fields>;

export const ApiDescriptionModel = defineModel({
  name: 'ApiDescription',
  collection: 'api_descriptions',
  fields,
  indexes: [
    outboxIndex,
    [{ workspaceId: 1, _id: 1 }],
    // The descriptions that use a credential, which prevent its deletion.
    [{ authCredentialId: 1, _id: 1 }],
  ],
  lifecycle: {
    workspace: { remove: 'workspaceId' },
    person: { keep: 'API descriptions name no person' },
  },
});
