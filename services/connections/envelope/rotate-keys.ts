import type { MasterKeys } from '../../../environment/values/master-keys.ts';
import { WorkspaceKeyModel } from '../../../models/workspace-key.model.ts';
import { unwrapKey, type WrappedKey, wrapKey } from './wrapped-key.ts';

/** Keys that are read at once. */
const BATCH = 100;

export interface Rotation {
  rewrapped: number;
  /** Why some keys could not be re-wrapped: a sentence for the operator each. */
  failures: string[];
  /** Keys that another master key wraps at the end. A process with another first master key may have written some. */
  left: number;
}

/**
 * Wraps each data key that another master key wraps by the first master key. Data keys stay the same, so that every
 * secret can be opened all the time. Several at once are harmless, and a repeat goes on after a crash.
 */
export async function rotateKeys(
  masterKeys: MasterKeys,
  isStopped: () => boolean = () => false,
): Promise<Rotation> {
  const rotation: Rotation = { rewrapped: 0, failures: [], left: 0 };
  let after = 0;
  while (!isStopped()) {
    const stale = await findStale(masterKeys, after);
    for (const key of stale) await rewrap(masterKeys, key, rotation);
    const last = stale.at(-1);
    if (!last) break;
    after = last._id;
  }
  rotation.left = await WorkspaceKeyModel.countDocuments({ kid: { $ne: masterKeys[0].kid } });
  return rotation;
}

const findStale = ([{ kid }]: MasterKeys, after: number): Promise<WrappedKey[]> =>
  WorkspaceKeyModel.find({ _id: { $gt: after }, kid: { $ne: kid } }, { kid: 1, wrapped: 1 })
    .sort({ _id: 1 })
    .limit(BATCH)
    .lean();

async function rewrap(masterKeys: MasterKeys, key: WrappedKey, rotation: Rotation): Promise<void> {
  const rewrapped = tryRewrap(masterKeys, key, rotation);
  if (!rewrapped) return;
  // Another rotation may have written the key since, or the workspace's deletion removed it.
  const { _id, wrapped } = key;
  const { modifiedCount } = await WorkspaceKeyModel.updateOne(
    { _id, wrapped },
    { $set: rewrapped },
  );
  rotation.rewrapped += modifiedCount;
}

function tryRewrap(masterKeys: MasterKeys, key: WrappedKey, { failures }: Rotation) {
  try {
    return wrapKey(masterKeys, key._id, unwrapKey(masterKeys, key));
  } catch (error) {
    failures.push(error instanceof Error ? error.message : String(error));
    return null;
  }
}
