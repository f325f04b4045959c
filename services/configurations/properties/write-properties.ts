import type { Problem } from '../../../contract/problem.ts';
import { type ChangeContext, systemChange } from '../../../mixins/changes/change-context.ts';
import { callerOf } from '../../../mixins/changes/change-store.ts';
import { GroupCommitQueue } from '../../../mixins/changes/group-commit-queue.ts';
import { auditMessage, type OutboxMessage } from '../../../mixins/changes/outbox.ts';
import { assertMatches, type Show } from '../../../mixins/changes/precondition.ts';
import { noStore } from '../configurations.problems.ts';
import { configurations, type StoredConfiguration } from '../configurations.store.ts';
import type { StoreHead } from '../find-configuration.ts';
import { assertWithinLimits, type BlamedFields, ContentMeter } from '../limits.ts';
import { type DrawId, propertyIds } from '../memoized-ids.ts';
import { mergeProperties, type NewProperty } from './merge.ts';

/** Properties that a request sets, all or none of them. */
export interface PropertyUpdate {
  store: StoreHead;
  wanted: readonly NewProperty[];
  change: ChangeContext;
  /** The representation whose ETag `If-Match` names. */
  show?: Show<StoredConfiguration>;
  /** The fields of the request that are blamed for a store that becomes too large. */
  blamed: BlamedFields;
  /** Makes the refusal of an update of an archived store. */
  refusal: () => Problem;
}

/** The change of a group. Its queue counts the service as the caller, and each update has an audit entry of its own. */
const GROUP_CHANGE = systemChange('configurations', 'configurations.setProperty', {
  none: 'each update of the group has an entry of its own',
});

type Outcome = PromiseSettledResult<StoredConfiguration>;

/** Writes updates of the properties of stores: those of one store that come at the same time share a write. */
export class PropertyWriter {
  readonly #queue = new GroupCommitQueue<PropertyUpdate, StoredConfiguration>((_id, updates) =>
    writeGroup(updates),
  );

  /** Sets properties. Returns the store as it was written. Throws 400, 412, 409 or 404, or 503 `BUSY`. */
  write(update: PropertyUpdate): Promise<StoredConfiguration> {
    return this.#queue.run(update.store._id, callerOf(update.change), update);
  }
}

/** Applies the updates one after another to what is stored, and writes the result at once. */
async function writeGroup(updates: readonly PropertyUpdate[]): Promise<Outcome[]> {
  const [first] = updates;
  if (!first) return [];
  let errors = new Map<PropertyUpdate, unknown>();
  const tools = { drawId: propertyIds(), meter: new ContentMeter() };
  const decide = async (current: StoredConfiguration) => {
    errors = new Map();
    const messages: OutboxMessage[] = [];
    let now = current;
    for (const update of updates) {
      try {
        const properties = await apply(now, update, tools);
        if (!properties) continue;
        now = { ...now, properties };
        messages.push(...auditMessage(update.change, resourceOf(current), ['properties']));
      } catch (error) {
        errors.set(update, error);
      }
    }
    return now === current ? null : { set: { properties: now.properties }, messages };
  };
  const store = await configurations.find(first.store._id); // once for the group
  if (!store) throw noStore(first.store._id);
  const value = await configurations.change(store, decide, GROUP_CHANGE);
  return updates.map(
    (update): Outcome =>
      errors.has(update)
        ? { status: 'rejected', reason: errors.get(update) }
        : { status: 'fulfilled', value },
  );
}

/** The properties after an update; null when it changes nothing. Throws the refusal of the update. */
async function apply(
  current: StoredConfiguration,
  { wanted, change, show, blamed, refusal }: PropertyUpdate,
  { drawId, meter }: { drawId: DrawId; meter: ContentMeter },
): Promise<StoredConfiguration['properties'] | null> {
  await assertMatches(current, change, show);
  if (current.status === 'ARCHIVED') throw refusal();
  const properties = await mergeProperties(current.properties, wanted, drawId);
  if (properties) assertWithinLimits({ ...current, properties }, blamed, meter);
  return properties;
}

const resourceOf = ({ _id: id, workspaceId }: StoredConfiguration) => ({ id, workspaceId });
