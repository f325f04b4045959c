import { ApiKeyModel } from '../../../models/api-key.model.ts';

/** Removes the API keys of a deleted workspace. Answers the id of one of them; null when there was none. */
export async function eraseKeys(workspaceId: number): Promise<number | null> {
  const key = await ApiKeyModel.findOne({ workspaceId }, { _id: 1 }).lean();
  if (key) await ApiKeyModel.deleteMany({ workspaceId });
  return key?._id ?? null;
}
