import { randomUUID } from 'node:crypto';
import type { Departure, WorkspaceDocument } from '../../../models/workspace.model.ts';
import { WorkspaceModel } from '../../../models/workspace.model.ts';
import { membershipOf, rowOf } from './ownership/membership.ts';

/** Milliseconds after which a removal has ended, one way or the other, and its news is due again. */
const SETTLED_MS = 30_000;
/** Workspaces looked at in one sweep; the others have to wait for the next. */
const SWEEP_SIZE = 100;

/** Somebody is no member any more. */
export interface DepartureNews {
  workspaceId: number;
  userId: number;
  ownerIds: number[];
}
type Tell = (news: DepartureNews) => Promise<unknown>;

/**
 * Writes down that somebody is about to leave, before they do: cut off at any point, the news is told
 * once they are no member.
 */
export async function noteDeparture(workspaceId: number, userId: number): Promise<void> {
  const departure: Departure = { id: randomUUID(), userId, at: new Date() };
  await WorkspaceModel.updateOne({ _id: workspaceId }, { $push: { departures: departure } });
}

/** Tells what is written down of a workspace, at least once each, and then forgets it. */
export async function tellDepartures(workspaceId: number, tell: Tell): Promise<void> {
  const workspace = await WorkspaceModel.findById(workspaceId).lean<WorkspaceDocument>();
  for (const departure of workspace?.departures ?? []) {
    if (workspace) await tellOne(workspace, departure, tell);
  }
}

async function tellOne(workspace: WorkspaceDocument, departure: Departure, tell: Tell) {
  const { _id, ownerIds } = workspace;
  const { id, userId, at } = departure;
  const { role } = membershipOf(workspace, await rowOf(_id, userId), userId);
  const isUnderWay = Date.now() - at.getTime() < SETTLED_MS;
  if (role !== null && isUnderWay) return;
  if (role === null) {
    await tell({ workspaceId: _id, userId, ownerIds });
  }
  await WorkspaceModel.updateOne({ _id }, { $pull: { departures: { id } } });
}

/** Tells what was not told at once, because a process ended or could not be reached. */
export async function sweepDepartures(tell: Tell): Promise<void> {
  const due = new Date(Date.now() - SETTLED_MS);
  const workspaces = await WorkspaceModel.find({ 'departures.at': { $lte: due } }, { _id: 1 })
    .limit(SWEEP_SIZE)
    .lean();
  for (const { _id } of workspaces) await tellDepartures(_id, tell);
}
