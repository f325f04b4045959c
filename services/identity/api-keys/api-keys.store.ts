import { NotFound, Problem } from '../../../contract/problem.ts';
import { changesOf, type Shown } from '../../../mixins/changes/change-store.ts';
import { type ApiKeyDocument, ApiKeyModel } from '../../../models/api-key.model.ts';

export type StoredApiKey = Shown<ApiKeyDocument, 'hash' | 'replaced' | 'quotaSlot'>;

/** The store of all changes of API keys. `lastUsedAt` is written directly, because a use does not change the key. */
export const apiKeys = changesOf(ApiKeyModel, {
  hidden: ['hash', 'replaced', 'quotaSlot'],
  missing: (id: number) => new Problem(NotFound, `There is no API key ${id}.`),
});
