import { createSecretKey, type KeyObject } from 'node:crypto';
import type { MasterKeys } from '../../../environment/values/master-keys.ts';
import type { WorkspaceKeyDocument } from '../../../models/workspace-key.model.ts';
import { decrypt, encrypt } from './aes-gcm.ts';
import { MissingMasterKeyError } from './missing-master-key.ts';

export type WrappedKey = Pick<WorkspaceKeyDocument, '_id' | 'kid' | 'wrapped'>;

const placeOf = (workspaceId: number): string => `workspace-key:${workspaceId}`;

/** Wraps the data key of a workspace by the first master key. */
export function wrapKey([{ kid, key }]: MasterKeys, workspaceId: number, dataKey: KeyObject) {
  return { kid, wrapped: encrypt(key, placeOf(workspaceId), dataKey.export()) };
}

/**
 * Unwraps the data key of a workspace. Throws an Error for the operator, which names the master key: a
 * `MissingMasterKeyError` where that key is not among those given.
 */
export function unwrapKey(masterKeys: MasterKeys, { _id, kid, wrapped }: WrappedKey): KeyObject {
  const master = masterKeys.find((candidate) => candidate.kid === kid);
  if (!master) throw new MissingMasterKeyError(kid, _id);
  const bytes = decrypt(master.key, placeOf(_id), wrapped);
  if (!bytes) {
    throw new Error(`The key of workspace ${_id}, wrapped by the master key ${kid}, is damaged`);
  }
  return createSecretKey(bytes);
}
