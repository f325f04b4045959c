import { model, Schema } from 'mongoose';
import type { Actor } from '../mixins/caller.ts';
import { ActorSchema } from './actor.ts';

export interface UserDocument {
  _id: number;
  /** As its owner writes it. */
  email: string;
  /** As it is compared: no two users share one. */
  emailKey: string;
  emailVerified: boolean;
  firstName: string;
  lastName: string;
  /** argon2id; null for a directory entry, whose person has not registered. */
  passwordHash: string | null;
  /** Sessions of an earlier epoch have ended: one update ends them all. Absent for 0. */
  sessionEpoch?: number;
  createdBy: Actor;
  createdAt: Date;
  updatedAt: Date;
}

const schema = new Schema<UserDocument>(
  {
    _id: Number,
    email: String,
    emailKey: String,
    emailVerified: Boolean,
    firstName: String,
    lastName: String,
    passwordHash: { type: String, default: null },
    sessionEpoch: Number,
    createdBy: ActorSchema,
    createdAt: Date,
    updatedAt: Date,
  },
  { versionKey: false },
);
schema.index({ emailKey: 1 }, { unique: true });

export const UserModel = model<UserDocument>('User', schema, 'users');
