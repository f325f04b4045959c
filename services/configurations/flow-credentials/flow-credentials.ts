import { NotFound, Problem } from '../../../contract/problem.ts';
import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import type { Params } from '../../contracts.ts';
import { archived } from '../configurations.problems.ts';
import { configurations, type StoredConfiguration } from '../configurations.store.ts';
import type { ConfigurationStore, FlowCredentialPair } from '../contract/resources.ts';
import { assertWithinLimits } from '../limits.ts';
import { pairIds } from '../memoized-ids.ts';
import type { Directory } from '../references/directory.ts';
import { ReferenceCheck } from '../references/reference-check.ts';
import { credentialsIn, showConfiguration, showPairWith } from '../show-configuration.ts';
import { contentOf, hasSameCredentials, type StoredPair } from './pairs.ts';

/** The pairs of a store by the decimal ids of their flows. */
export async function showFlowCredentials(
  store: StoredConfiguration,
  directory: Pick<Directory, 'credentialsOf'>,
): Promise<Record<string, FlowCredentialPair>> {
  const show = showPairWith(await credentialsIn([store], directory));
  return Object.fromEntries(
    store.flowCredentialPairs.map((pair) => [String(pair.flowId), show(pair)]),
  );
}

/** Gives a flow its credentials. A flow that has a pair keeps the id of the pair. */
export async function setFlowCredentials(
  store: StoredConfiguration,
  wanted: Omit<Params<'configurations.setFlowCredentials'>, 'storeId'>,
  change: ChangeContext,
  directory: Directory,
): Promise<ConfigurationStore> {
  const check = new ReferenceCheck(directory, store.workspaceId, (_at, field) => field);
  const drawId = pairIds();
  const content = contentOf([wanted]);

  const changedPairs = async ({
    flowCredentialPairs,
  }: StoredConfiguration): Promise<StoredPair[] | null> => {
    const [pair] = content;
    const old = flowCredentialPairs.find(({ flowId }) => flowId === wanted.flowId);
    if (!pair || (old && hasSameCredentials(old, pair))) return null;
    await check.assertReferences(content, flowCredentialPairs);
    if (old) {
      return flowCredentialPairs.map((each) => (each === old ? { id: old.id, ...pair } : each));
    }
    return [...flowCredentialPairs, { id: await drawId(pair.flowId), ...pair }];
  };
  const decide = async (current: StoredConfiguration) => {
    const flowCredentialPairs = await changedPairs(current);
    if (current.status === 'ARCHIVED') throw archived();
    if (!flowCredentialPairs) return null;
    assertWithinLimits({ ...current, flowCredentialPairs }, { count: 'flowId', bytes: 'flowId' });
    return { set: { flowCredentialPairs } };
  };
  try {
    return await showConfiguration(await configurations.change(store, decide, change), directory);
  } finally {
    await check.release();
  }
}

/** Takes the credentials of a flow away. Throws 404 for a flow that has none. */
export async function removeFlowCredentials(
  store: StoredConfiguration,
  flowId: number,
  change: ChangeContext,
  directory: Directory,
): Promise<Record<string, never>> {
  const withoutPair = ({ _id, flowCredentialPairs }: StoredConfiguration): StoredPair[] => {
    const left = flowCredentialPairs.filter((pair) => pair.flowId !== flowId);
    if (left.length === flowCredentialPairs.length) throw noPair(flowId, _id);
    return left;
  };
  withoutPair(store); // the order of checks puts a missing pair (404) before `If-Match` (412)
  const decide = (current: StoredConfiguration) => {
    const flowCredentialPairs = withoutPair(current);
    if (current.status === 'ARCHIVED') throw archived();
    return { set: { flowCredentialPairs } };
  };
  const show = (current: StoredConfiguration) => showFlowCredentials(current, directory);
  await configurations.change(store, decide, change, show);
  return {};
}

const noPair = (flowId: number, storeId: number): Problem =>
  new Problem(NotFound, `The configuration store ${storeId} has no credentials of flow ${flowId}.`);
