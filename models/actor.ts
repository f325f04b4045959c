import { Schema } from 'mongoose';
import type { Actor } from '../contract/caller.ts';

/** Who did something, as it is kept with what was done. */
export const ActorSchema = new Schema<Actor>(
  { type: { type: String, required: true }, id: Number, name: String },
  { _id: false, id: false },
);
