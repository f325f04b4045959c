import { type DocumentOf, defineModel, field } from './define-model.ts';

/** A token bucket that all processes of a service share (GCRA). */
const fields = {
  /** The hash of the bucket's key, which may be an address. */
  _id: field.string,
  /** The time at which the bucket is full, in milliseconds since 1970 with fractions. */
  fullAt: field.number,
  /** The database's time of the last attempt to take a token, in milliseconds since 1970. */
  takenAt: field.number,
  /** Whether the last attempt took a token. */
  granted: field.boolean,
  /** The time from which the database may delete the bucket, which is full then. */
  expiresAt: field.date,
};
export type TokenBucketDocument = DocumentOf<typeof fields>;

export const TokenBucketModel = defineModel({
  name: 'TokenBucket',
  collection: 'token_buckets',
  fields,
  indexes: [[{ expiresAt: 1 }, { expireAfterSeconds: 0 }]],
  lifecycle: {
    workspace: { keep: 'a bucket belongs to no workspace' },
    person: { keep: 'a bucket has a hash and expires once it is full' },
  },
});
