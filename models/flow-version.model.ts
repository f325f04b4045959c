import { type Model, model, Schema } from 'mongoose';
import type { Actor } from '../contract/caller.ts';
import { ActorSchema } from './actor.ts';

/** A version of a flow's file. Never changed. */
export interface FlowVersionDocument {
  _id: number;
  flowId: number;
  /** From 1, in the order in which the flow's own document took them. */
  sequence: number;
  content: string;
  createdBy: Actor;
  createdAt: Date;
}

const schema = new Schema<FlowVersionDocument>(
  {
    _id: Number,
    flowId: Number,
    sequence: Number,
    content: String,
    createdBy: ActorSchema,
    createdAt: Date,
  },
  { collection: 'flow_versions', versionKey: false },
);
schema.index({ flowId: 1, sequence: -1 }, { unique: true });

export const FlowVersionModel: Model<FlowVersionDocument> = model<FlowVersionDocument>(
  'FlowVersion',
  schema,
);
