import { type Model, model, Schema } from 'mongoose';
import type { Actor } from '../contract/caller.ts';
import { ActorSchema } from './actor.ts';

/** A version that exists and whose row in `flow_versions` may not have been written yet. */
export interface PendingVersion {
  id: number;
  sequence: number;
  content: string;
  createdBy: Actor;
  createdAt: Date;
}

/**
 * A flow. This one document decides which versions there are and in which order: a version exists from
 * the moment that `sequence` counts it.
 */
export interface FlowDocument {
  _id: number;
  workspaceId: number;
  name: string;
  description: string;
  /** The newest version; null while there is none. */
  versionId: number | null;
  /** How many versions there are: the newest one's number. */
  sequence: number;
  /** SHA-256 of the newest version's content. */
  contentHash: string | null;
  pendingVersion: PendingVersion | null;
  /** `pendingVersion` as earlier data names it. It is read and emptied, never filled. */
  unsettled?: PendingVersion | null;
  createdAt: Date;
  updatedAt: Date;
}

const pendingVersion = new Schema<PendingVersion>(
  { id: Number, sequence: Number, content: String, createdBy: ActorSchema, createdAt: Date },
  { _id: false, id: false },
);
const schema = new Schema<FlowDocument>(
  {
    _id: Number,
    workspaceId: Number,
    name: String,
    description: String,
    versionId: Number,
    sequence: Number,
    contentHash: String,
    pendingVersion: { type: pendingVersion, default: null },
    unsettled: pendingVersion,
    createdAt: Date,
    updatedAt: Date,
  },
  { collection: 'flows', versionKey: false },
);
schema.index({ workspaceId: 1, _id: 1 });
schema.index({ workspaceId: 1, name: 1 }, { unique: true });

export const FlowModel: Model<FlowDocument> = model<FlowDocument>('Flow', schema);

/** The index that keeps names unique, as the database names it. */
export const UNIQUE_NAME = 'workspaceId_1_name_1';
