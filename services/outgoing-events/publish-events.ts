import { asSystem } from '../../contract/caller.ts';
import type { EventResource, RecordedEvent } from '../../contract/outgoing-event.ts';
import type { EventEntry } from '../../contract/publish-events.ts';
import type { OutboxSource } from '../../mixins/changes/outbox-source.ts';
import type { Ctx } from '../contracts.ts';
import { recordInPieces } from './record-in-pieces.ts';

/** How a service publishes the events of its changes. */
export interface EventPublisher {
  service: string;
  /** The action whose entries stand in the outboxes. */
  action: string;
  /** The entries that stand in the outboxes of the same resources, in the order of the changes. */
  findPending: (entries: readonly EventEntry[]) => Promise<EventEntry[]>;
  resourceOf: (entry: EventEntry) => EventResource;
  /** Renders the resources of entries as their GET shows them, in the order of the entries. */
  render: (entries: readonly EventEntry[]) => Promise<unknown[]> | unknown[];
}

type Collection = OutboxSource['collection'];
type Caller = Pick<Ctx, 'call'>;

/**
 * Hands over the events that a subscription asks for. With an entry go all that stand before it in the outbox of its
 * document, whichever process has them to carry: so no event of a resource is recorded before an earlier one.
 */
export async function publishEvents(
  entries: readonly EventEntry[],
  ctx: Caller,
  publisher: EventPublisher,
): Promise<null> {
  const isWanted = await wantedBy(entries, ctx, publisher);
  const wanted = entries.filter(isWanted);
  if (!wanted.length) return null;
  const pending = (await publisher.findPending(wanted)).filter(isWanted);
  const shown = await publisher.render(pending);
  const events = pending.map((entry, at): RecordedEvent => {
    const { id, at: time, workspaceId, type } = entry;
    const resource = publisher.resourceOf(entry);
    return { id, at: time, workspaceId, type, resource, data: shown[at] };
  });
  const record = (some: RecordedEvent[]) =>
    ctx.call('events.record', { entries: some }, asSystem(publisher.service));
  await recordInPieces(events, record);
  return null;
}

async function wantedBy(
  entries: readonly EventEntry[],
  ctx: Caller,
  { service }: EventPublisher,
): Promise<(entry: EventEntry) => boolean> {
  const workspaceIds = [...new Set(entries.map(({ workspaceId }) => workspaceId))];
  const { wanted } = await ctx.call('events.wanted', { workspaceIds }, asSystem(service));
  const types = new Map(wanted.map((of) => [of.workspaceId, of.types]));
  return ({ workspaceId, type }) => types.get(workspaceId)?.includes(type) ?? false;
}

/** Finds the entries in the outboxes of the documents that have those of a call. */
export const pendingEntriesFinder =
  (collection: Collection, action: string) =>
  (entries: readonly EventEntry[]): Promise<EventEntry[]> =>
    findPendingEntries(
      collection,
      [...new Set(entries.map(({ documentId }) => documentId))],
      action,
    );

/** The entries of an action in the outboxes of documents, in the order of the changes; tombstones have outboxes as well. */
export async function findPendingEntries(
  collection: Collection,
  ids: readonly (number | string)[],
  action: string,
): Promise<EventEntry[]> {
  const found = await collection
    .find<{ outbox?: { id: string; at: Date; call?: string; params: object }[] }>(
      { _id: { $in: [...ids] } },
      { projection: { outbox: 1 } },
    )
    .toArray();
  return found.flatMap(({ outbox = [] }) =>
    outbox
      .filter(({ call }) => call === action)
      .map(({ id, at, params }) => ({ id, at: at.toISOString(), ...params }) as EventEntry),
  );
}
