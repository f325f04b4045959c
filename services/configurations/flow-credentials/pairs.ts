import { contradiction } from '../configurations.problems.ts';
import type { StoredConfiguration } from '../configurations.store.ts';
import type { PairToWrite } from '../contract/bodies.ts';
import type { DrawId } from '../memoized-ids.ts';
import {
  CREDENTIAL_FIELDS,
  type CredentialField,
  type NameField,
  type PairContent,
} from '../references/reference-check.ts';

export type StoredPair = StoredConfiguration['flowCredentialPairs'][number];
/** A pair of a request, in any of the forms that requests have. */
export type WantedPair = Pick<PairToWrite, 'flowId'> & Partial<PairToWrite>;

/** The fields in which an answer shows a credential. */
const SHOWN_IN = {
  sourceAuthCredentialId: 'sourceAuthCredential',
  destinationAuthCredentialId: 'destinationAuthCredential',
} as const;

/**
 * The flow and the credentials of each pair. A shown credential counts where its id is absent, and nothing is no
 * credential. Throws 400 where the two are given and differ.
 */
export const contentOf = (pairs: readonly WantedPair[]): PairContent[] =>
  pairs.map((pair, at) => ({
    flowId: pair.flowId,
    sourceAuthCredentialId: credentialOf(pair, 'sourceAuthCredentialId', at),
    destinationAuthCredentialId: credentialOf(pair, 'destinationAuthCredentialId', at),
  }));

function credentialOf(pair: WantedPair, name: CredentialField, at: number): number | null {
  const { [name]: id, [SHOWN_IN[name]]: shown } = pair;
  if (shown === undefined) return id ?? null;
  const shownId = shown?.id ?? null;
  if (id === undefined || id === shownId) return shownId;
  throw contradiction(
    `flowCredentialPairs.${at}.${name}`,
    `names another credential than ${SHOWN_IN[name]}`,
  );
}

/** Names the fields of a request's pairs, as the request gives them. */
export const fieldOfPair =
  (pairs: readonly WantedPair[]): NameField =>
  (at, field) => {
    const pair = `flowCredentialPairs.${at}`;
    if (field === 'flowId' || pairs[at]?.[field] !== undefined) return `${pair}.${field}`;
    return `${pair}.${SHOWN_IN[field]}.id`;
  };

/** The pairs as wanted, in that order. A pair keeps its id by its flow. */
export async function pairsWithIds(
  wanted: readonly PairContent[],
  before: readonly StoredPair[],
  drawId: DrawId,
): Promise<StoredPair[]> {
  const ids = new Map(before.map(({ id, flowId }) => [flowId, id]));
  const pairs: StoredPair[] = [];
  for (const pair of wanted) {
    pairs.push({ id: ids.get(pair.flowId) ?? (await drawId(pair.flowId)), ...pair });
  }
  return pairs;
}

/** Whether two pairs of one flow have the same credentials. */
export const hasSameCredentials = (one: PairContent, other: PairContent): boolean =>
  CREDENTIAL_FIELDS.every((field) => one[field] === other[field]);

/** Whether two lists have the same pairs in the same order. */
export const isSameList = (one: readonly PairContent[], other: readonly PairContent[]): boolean =>
  one.length === other.length &&
  one.every((pair, at) => {
    const counterpart = other[at];
    return counterpart?.flowId === pair.flowId && hasSameCredentials(pair, counterpart);
  });
