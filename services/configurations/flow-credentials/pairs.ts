import { nextId } from '../../../mixins/database/ids.ts';
import type { StoredConfiguration } from '../configurations.store.ts';
import { CREDENTIAL_FIELDS, type PairContent } from '../references/reference-check.ts';

export type StoredPair = StoredConfiguration['flowCredentialPairs'][number];

/** The pairs as wanted, in that order. A pair keeps its id by its flow. */
export async function pairsWithIds(
  wanted: readonly PairContent[],
  before: readonly StoredPair[],
  drawId: () => Promise<number> = drawPairId,
): Promise<StoredPair[]> {
  const ids = new Map(before.map(({ id, flowId }) => [flowId, id]));
  const pairs: StoredPair[] = [];
  for (const pair of wanted) pairs.push({ id: ids.get(pair.flowId) ?? (await drawId()), ...pair });
  return pairs;
}

/** Whether two pairs of one flow have the same credentials. */
export const hasSameCredentials = (one: PairContent, other: PairContent): boolean =>
  CREDENTIAL_FIELDS.every((field) => one[field] === other[field]);

const drawPairId = (): Promise<number> => nextId('flow_credential_pairs');
