import { NotFound, Problem } from '../../../contract/problem.ts';
import { changesOf, type Shown } from '../../../mixins/changes/change-store.ts';
import { type ApiKeyDocument, ApiKeyModel } from '../../../models/api-key.model.ts';

export type StoredApiKey = Shown<ApiKeyDocument, 'hash'>;

/** The one way to write API keys. `lastUsedAt` is written apart: a use of a key is no change of it. */
export const apiKeys = changesOf(ApiKeyModel, {
  hidden: ['hash'],
  missing: (id: number) => new Problem(NotFound, `There is no API key ${id}.`),
});
