import { randomUUID } from 'node:crypto';
import type { ChangeContext } from '../../mixins/changes/change-context.ts';
import { isDuplicateKey } from '../../mixins/database/database.ts';
import { EXTERNAL_ID_INDEX } from '../../models/configuration-store.model.ts';
import type { Params } from '../contracts.ts';
import { externalIdTaken } from './configurations.problems.ts';
import { configurations } from './configurations.store.ts';
import type { ConfigurationStore } from './contract/resources.ts';
import { contentOf, fieldOfPair, pairsWithIds } from './flow-credentials/pairs.ts';
import { assertWithinLimits, blamedOf } from './limits.ts';
import { pairIds, propertyIds } from './memoized-ids.ts';
import { propertiesWithIds } from './properties/merge.ts';
import type { Directory } from './references/directory.ts';
import { ReferenceCheck } from './references/reference-check.ts';
import { showConfiguration } from './show-configuration.ts';

/** Creates a store. Its credentials cannot be deleted before it is written. */
export async function createConfiguration(
  wanted: Params<'configurations.create'>,
  change: ChangeContext,
  directory: Directory,
): Promise<ConfigurationStore> {
  const { workspaceId, name, externalId = randomUUID() } = wanted;
  const given = wanted.flowCredentialPairs ?? [];
  const pairs = contentOf(given);
  const content = {
    name,
    flowCredentialPairs: await pairsWithIds(pairs, [], pairIds()),
    properties: await propertiesWithIds(wanted.properties ?? [], [], propertyIds()),
  };
  assertWithinLimits(content, blamedOf(wanted));
  const check = new ReferenceCheck(directory, workspaceId, fieldOfPair(given));
  try {
    await check.assertReferences(pairs, []);
    const now = new Date();
    const made = { workspaceId, externalId, ...content, createdAt: now, updatedAt: now };
    const stored = await configurations
      .create({ ...made, status: 'ACTIVE' }, change)
      .catch(mapDuplicate);
    return await showConfiguration(stored, directory);
  } finally {
    await check.release();
  }
}

/** Throws `EXTERNAL_ID_TAKEN` for a duplicate external id, and any other error as it is. */
function mapDuplicate(error: unknown): never {
  throw isDuplicateKey(error, EXTERNAL_ID_INDEX) ? externalIdTaken() : error;
}
