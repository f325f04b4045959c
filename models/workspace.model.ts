import { type Model, model, Schema } from 'mongoose';
import type { Actor } from '../contract/caller.ts';
import { ActorSchema } from './actor.ts';

/** A member's removal that `identity` has not been told of yet. */
export interface Departure {
  id: string;
  userId: number;
  at: Date;
}

export interface WorkspaceDocument {
  _id: number;
  name: string;
  /** The user ids of the OWNERs, whatever the members' rows say. Never empty. */
  ownerIds: number[];
  /** The users who become OWNER once their pending row is confirmed. */
  pendingOwnerIds: number[];
  /** The number of decisions about members and OWNERs (`owners.ts`); absent before the first. */
  decisions?: number;
  /** Removals that `departures.ts` has to tell `identity` of. */
  departures?: Departure[];
  createdBy: Actor;
  /** The workspace's number among those of its creator, below the quota; absent without a quota. */
  quotaSlot?: number;
  createdAt: Date;
  updatedAt: Date;
}

/** The unique index that lets one workspace of a person hold a quota slot. */
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
