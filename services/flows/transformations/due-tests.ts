import { databaseClock } from '../../../mixins/database/database-clock.ts';
import {
  type TransformationTestDocument,
  TransformationTestModel,
} from '../../../models/transformation-test.model.ts';
import type { ShareOwner } from '../../../support/fair-shares/share.ts';
import type { Params } from '../../contracts.ts';
import type { ShareOwners } from '../../share-owners/share-owners.ts';

/** Milliseconds for which a process has a due run. Then another process takes the run over. */
const LEASE_MS = 60_000;
/** Milliseconds until a run is due again that could not be carried out. */
const DELAY_MS = 5_000;

export type DueTest = TransformationTestDocument &
  Required<Pick<TransformationTestDocument, 'due'>>;

/**
 * Makes the runs of tests due for stored versions. A test has one due run at most, that of the newest version; a
 * repetition, and a version older than that of the last result, make none.
 */
export async function scheduleTests(
  { entries }: Params<'flows.scheduleTransformationTests'>,
  owners: Pick<ShareOwners, 'ofWorkspace'>,
): Promise<null> {
  const at = databaseClock.date();
  for (const { workspaceId, flowId, versionId, sequence } of entries) {
    const { owner } = await owners.ofWorkspace(workspaceId);
    await TransformationTestModel.updateMany(
      {
        flowId,
        'due.sequence': { $not: { $gte: sequence } },
        'lastResult.sequence': { $not: { $gte: sequence } },
      },
      { $set: { due: { versionId, sequence, owner, at } } },
    );
  }
  return null;
}

/**
 * Leases the due run of the next owner that has one, after the owner `after` or from the first on, and none of the busy
 * ones; of the owner's runs the one that has been due for longest. Null without such a run.
 */
export async function leaseDueTest(
  busy: readonly ShareOwner[],
  after?: ShareOwner,
): Promise<DueTest | null> {
  const owner = { $nin: busy, ...(after === undefined ? {} : { $gt: after }) };
  const now = databaseClock.date();
  const found = await TransformationTestModel.findOneAndUpdate(
    { 'due.owner': owner, 'due.at': { $lte: now } },
    { $set: { 'due.at': new Date(now.getTime() + LEASE_MS) } },
    { sort: { 'due.owner': 1, 'due.at': 1 }, returnDocument: 'after' },
  )
    .lean<TransformationTestDocument>()
    .exec();
  return found?.due ? { ...found, due: found.due } : null;
}

/** Ends a due run. A run that a newer version has made due meanwhile stays. */
export async function endDueTest({ _id, due }: DueTest): Promise<void> {
  const filter = { _id, 'due.sequence': due.sequence };
  await TransformationTestModel.updateOne(filter, { $unset: { due: 1 } });
}

/** Makes a run due again after a delay. */
export async function delayDueTest({ _id, due }: DueTest): Promise<void> {
  const at = new Date(databaseClock.now() + DELAY_MS);
  await TransformationTestModel.updateOne(
    { _id, 'due.sequence': due.sequence },
    { $set: { 'due.at': at } },
  );
}
