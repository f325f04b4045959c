import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import type { MasterKeys } from '../../../environment/values/master-keys.ts';
import { isDuplicateKey } from '../../../mixins/database/database.ts';
import { WorkspaceKeyModel } from '../../../models/workspace-key.model.ts';
import { TtlCache } from '../../../support/ttl-cache.ts';
import {
  MissingMasterKeyError,
  MissingMasterKeyLog,
  secretsUnavailable,
} from './missing-master-key.ts';
import { SealedTextError } from './sealed-text-error.ts';
import { unwrapKey, type WrappedKey, wrapKey } from './wrapped-key.ts';

/** Milliseconds for which an unwrapped key stays in memory. */
const TTL_MS = 60_000;
const KEY_BYTES = 32;

/** The data keys of workspaces. A key whose master key this process lacks is refused with 503 `UNAVAILABLE`. */
export class DataKeys {
  readonly #masterKeys: () => MasterKeys;
  readonly #cache = new TtlCache<KeyObject>(TTL_MS);
  readonly #log = new MissingMasterKeyLog();

  constructor(masterKeys: () => MasterKeys) {
    this.#masterKeys = masterKeys;
  }

  /** The key of a workspace, made at the first need of it. */
  getOrMake(workspaceId: number): Promise<KeyObject> {
    return this.#cache.get(String(workspaceId), async () => {
      const stored = (await findKey(workspaceId)) ?? (await this.#make(workspaceId));
      return this.#unwrap(stored);
    });
  }

  /** The key of a workspace that has sealed something. Throws a `SealedTextError` without such a key. */
  get(workspaceId: number): Promise<KeyObject> {
    return this.#cache.get(String(workspaceId), async () => {
      const stored = await findKey(workspaceId);
      if (!stored) {
        throw new SealedTextError(`Workspace ${workspaceId} has no key, but a sealed secret`);
      }
      return this.#unwrap(stored);
    });
  }

  #unwrap(stored: WrappedKey): KeyObject {
    try {
      return unwrapKey(this.#masterKeys(), stored);
    } catch (error) {
      if (!(error instanceof MissingMasterKeyError)) throw error;
      this.#log.error(error);
      throw secretsUnavailable();
    }
  }

  /** Makes the key of a workspace. Of several processes the first insert decides, and the others read that key. */
  async #make(workspaceId: number): Promise<WrappedKey> {
    const dataKey = createSecretKey(randomBytes(KEY_BYTES));
    const made = { _id: workspaceId, ...wrapKey(this.#masterKeys(), workspaceId, dataKey) };
    try {
      await WorkspaceKeyModel.create({ ...made, createdAt: new Date() });
      return made;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      const first = await findKey(workspaceId);
      if (!first) throw new Error(`The key of workspace ${workspaceId} was removed`);
      return first;
    }
  }
}

const findKey = (workspaceId: number): Promise<WrappedKey | null> =>
  WorkspaceKeyModel.findById(workspaceId, { kid: 1, wrapped: 1 }).lean();
