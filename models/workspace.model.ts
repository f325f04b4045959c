import { type Model, model, Schema } from 'mongoose';
import type { Actor } from '../contract/caller.ts';
import { ActorSchema } from './actor.ts';

/** Somebody who leaves, until that has been told. */
export interface Departure {
  id: string;
  userId: number;
  at: Date;
}

export interface WorkspaceDocument {
  _id: number;
  name: string;
  /** Who is OWNER: the workspace alone decides, whatever a member's row says. Never empty. */
  ownerIds: number[];
  /** Who becomes OWNER once their address is verified, by a row that waits for that. */
  pendingOwnerIds: number[];
  /** How often it was decided who is a member and who OWNER: `owners.ts`. Absent before the first time. */
  decisions?: number;
  /** Who leaves: `departures.ts`. */
  departures?: Departure[];
  createdBy: Actor;
  /** Below the quota of workspaces that a person may make; absent where there is no quota. */
  quotaSlot?: number;
  createdAt: Date;
  updatedAt: Date;
}

/** At most one workspace of a person holds a quota slot. */
export const QUOTA_SLOT_INDEX = 'creator_quota_slot';

const departure = new Schema<Departure>(
  { id: String, userId: Number, at: Date },
  { _id: false, id: false },
);
const schema = new Schema<WorkspaceDocument>(
  {
    _id: Number,
    name: String,
    ownerIds: [Number],
    pendingOwnerIds: [Number],
    decisions: Number,
    departures: { type: [departure], default: undefined },
    createdBy: ActorSchema,
    quotaSlot: Number,
    createdAt: Date,
    updatedAt: Date,
  },
  { collection: 'workspaces', versionKey: false },
);
schema.index({ ownerIds: 1, _id: 1 });
schema.index({ 'createdBy.id': 1 });
schema.index({ 'departures.at': 1 });
schema.index(
  { 'createdBy.id': 1, quotaSlot: 1 },
  {
    name: QUOTA_SLOT_INDEX,
    unique: true,
    partialFilterExpression: { quotaSlot: { $exists: true } },
  },
);

export const WorkspaceModel: Model<WorkspaceDocument> = model<WorkspaceDocument>(
  'Workspace',
  schema,
);
