import { type Model, model, Schema } from 'mongoose';
import type { Actor } from '../contract/caller.ts';
import type { IssueStatus } from '../services/issues/issues.contract.ts';
import { ActorSchema } from './actor.ts';
import { type ChangedDocument, changedFields, indexOutbox } from './changed-document.ts';

export interface IssueDocument extends ChangedDocument {
  _id: number;
  workspaceId: number;
  title: string;
  description: string;
  status: IssueStatus;
  assignedUserId: number | null;
  /** Who raised it; kept, not shown. */
  reporter: Actor;
  /** What `q` searches. Apart, so that each field's words change with that field alone. */
  titleWords: string[];
  descriptionWords: string[];
  createdAt: Date;
  updatedAt: Date;
}

const schema = new Schema<IssueDocument>(
  {
    _id: Number,
    workspaceId: Number,
    title: String,
    description: String,
    status: String,
    assignedUserId: Number,
    reporter: ActorSchema,
    titleWords: [String],
    descriptionWords: [String],
    createdAt: Date,
    updatedAt: Date,
    ...changedFields,
  },
  { collection: 'issues', versionKey: false },
);
indexOutbox(schema);
schema.index({ workspaceId: 1, _id: 1 });
schema.index({ workspaceId: 1, status: 1, _id: 1 });
schema.index({ workspaceId: 1, assignedUserId: 1, _id: 1 });
schema.index({ workspaceId: 1, updatedAt: 1 });
schema.index({ workspaceId: 1, titleWords: 1, _id: 1 });
schema.index({ workspaceId: 1, descriptionWords: 1, _id: 1 });

export const IssueModel: Model<IssueDocument> = model<IssueDocument>('Issue', schema);
