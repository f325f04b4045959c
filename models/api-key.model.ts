import { model, Schema } from 'mongoose';
import type { Scope } from '../contract/access-rule.ts';
import type { Actor } from '../contract/caller.ts';
import { ActorSchema } from './actor.ts';

export interface ApiKeyDocument {
  _id: number;
  workspaceId: number;
  name: string;
  /** SHA-256 of the key: it is shown once and never kept. */
  hash: string;
  /** Enough of the key for its owner to recognise it. */
  prefix: string;
  lastFour: string;
  scopes: Scope[];
  createdBy: Actor;
  createdAt: Date;
  expiresAt: Date | null;
  /** To the minute. */
  lastUsedAt: Date | null;
  revokedAt: Date | null;
}

const schema = new Schema<ApiKeyDocument>(
  {
    _id: Number,
    workspaceId: Number,
    name: String,
    hash: String,
    prefix: String,
    lastFour: String,
    scopes: [String],
    createdBy: ActorSchema,
    createdAt: Date,
    expiresAt: { type: Date, default: null },
    lastUsedAt: { type: Date, default: null },
    revokedAt: { type: Date, default: null },
  },
  { versionKey: false },
);
schema.index({ hash: 1 }, { unique: true });
schema.index({ workspaceId: 1, _id: 1 });
schema.index({ 'createdBy.id': 1 });

export const ApiKeyModel = model<ApiKeyDocument>('ApiKey', schema, 'api_keys');
