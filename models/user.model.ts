import { model, Schema } from 'mongoose';
import type { Actor } from '../contract/caller.ts';
import { ActorSchema } from './actor.ts';

/** A network from which somebody signed in to the account. */
export interface KnownNetwork {
  hash: string;
  /** When it was written down last, which is at most a day before the last sign-in from it. */
  at: Date;
}

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
  /** Reset tokens of another epoch have ended: a takeover by mail ends them all. Absent for 0. */
  resetEpoch?: number;
  /** The newest first. Sign-ins from them are limited apart from those of strangers. */
  knownNetworks?: KnownNetwork[];
  /** When the account is looked at for deletion; absent once it is verified, and for a directory entry. */
  unverifiedUntil?: Date;
  /** The account is about to be deleted: nobody signs in to it. Verification opens it again. */
  closedAt?: Date;
  createdBy: Actor;
  createdAt: Date;
  updatedAt: Date;
}

const knownNetwork = new Schema<KnownNetwork>({ hash: String, at: Date }, { _id: false });
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
    resetEpoch: Number,
    knownNetworks: { type: [knownNetwork], default: undefined },
    unverifiedUntil: Date,
    closedAt: Date,
    createdBy: ActorSchema,
    createdAt: Date,
    updatedAt: Date,
  },
  { versionKey: false },
);
schema.index({ emailKey: 1 }, { unique: true });
schema.index({ unverifiedUntil: 1 });
schema.index({ closedAt: 1 }, { partialFilterExpression: { closedAt: { $exists: true } } });

export const UserModel = model<UserDocument>('User', schema, 'users');
