import { type Model, model, Schema } from 'mongoose';
import type { AuditEntry } from '../contract/audit.ts';
import { ActorSchema } from './actor.ts';

/** An entry of the audit log. Its id is in the order of time, and the same however often it is recorded. */
export interface AuditEntryDocument extends Omit<AuditEntry, 'id' | 'at'> {
  _id: string;
  at: Date;
  /** Null for what belongs to no workspace. */
  workspaceId: number | null;
}

const schema = new Schema<AuditEntryDocument>(
  {
    _id: String,
    at: Date,
    workspaceId: Number,
    actor: ActorSchema,
    via: String,
    operation: String,
    resource: {
      type: new Schema(
        { type: { type: String }, id: Schema.Types.Mixed },
        { _id: false, id: false },
      ),
    },
    changed: [String],
    requestId: String,
  },
  { collection: 'audit_entries', versionKey: false },
);
schema.index({ workspaceId: 1, _id: -1 });

export const AuditEntryModel: Model<AuditEntryDocument> = model<AuditEntryDocument>(
  'AuditEntry',
  schema,
);
