import { TYPE } from './values.ts';

/** The bytes of a value by its type, for types whose values all have the same size. */
export const FIXED_SIZES: { readonly [type: number]: number | undefined } = {
  [TYPE.double]: 8,
  [TYPE.undefined]: 0,
  [TYPE.objectId]: 12,
  [TYPE.bool]: 1,
  [TYPE.date]: 8,
  [TYPE.null]: 0,
  [TYPE.int]: 4,
  [TYPE.timestamp]: 8,
  [TYPE.long]: 8,
  [TYPE.decimal]: 16,
  [TYPE.minKey]: 0,
  [TYPE.maxKey]: 0,
};
