import { type Literal, Timestamp } from '../../bson/values.ts';
import type { Fields } from './helper.ts';

/** Update operators and modifiers: the update of {_id: 1, n: 5, a: [1, 2, 3]} and the fields that it changes. */
export const UPDATES: [string, Fields, Fields][] = [
  ['$set', { $set: { x: 1 } }, { x: 1 }],
  ['$setOnInsert', { $setOnInsert: { x: 1 } }, {}],
  ['$unset', { $set: { x: 1 }, $unset: { n: '' } }, { n: undefined, x: 1 }],
  ['$inc', { $inc: { n: 2 } }, { n: 7 }],
  ['$mul', { $mul: { n: 2 } }, { n: 10 }],
  ['$min', { $min: { n: 2 } }, { n: 2 }],
  ['$max', { $max: { n: 9 } }, { n: 9 }],
  ['$rename', { $rename: { n: 'm' } }, { n: undefined, m: 5 }],
  ['$bit', { $bit: { n: { and: 12, or: 3, xor: 1 } } }, { n: 6 }],
  ['$push', { $push: { a: 4 } }, { a: [1, 2, 3, 4] }],
  ['$each', { $push: { a: { $each: [4, 5] } } }, { a: [1, 2, 3, 4, 5] }],
  ['$position', { $push: { a: { $each: [4], $position: 1 } } }, { a: [1, 4, 2, 3] }],
  ['$slice', { $push: { a: { $each: [4], $slice: -2 } } }, { a: [3, 4] }],
  ['$sort', { $push: { a: { $each: [4], $sort: -1 } } }, { a: [4, 3, 2, 1] }],
  ['$addToSet', { $addToSet: { a: 3 } }, {}],
  ['$addToSet with $each', { $addToSet: { a: { $each: [3, 4] } } }, { a: [1, 2, 3, 4] }],
  ['$pop', { $pop: { a: -1 } }, { a: [2, 3] }],
  ['$pull', { $pull: { a: { $gte: 2 } } }, { a: [1] }],
  ['$pullAll', { $pullAll: { a: [1, 3] } }, { a: [2] }],
  ['$', { $set: { 'a.$': 9 } }, { a: [1, 9, 3] }],
  ['$[]', { $inc: { 'a.$[]': 1 } }, { a: [2, 3, 4] }],
  ['$[x]', { $inc: { 'a.$[x]': 1 } }, { a: [1, 2, 4] }],
];

/** Operators of updates that set the present time, with the type of the field. */
export const TIMES: [Literal, unknown][] = [
  [true, Date],
  [{ $type: 'date' }, Date],
  [{ $type: 'timestamp' }, Timestamp],
];

const NO_FIELDS = { n: undefined, a: undefined, s: undefined, o: undefined, l: undefined };

/** Stages of an update that is a pipeline, with the fields that they change. */
export const UPDATE_STAGES: [string, Fields, Fields][] = [
  ['$addFields', { $addFields: { x: '$n' } }, { x: 5 }],
  ['$set', { $set: { x: '$n' } }, { x: 5 }],
  ['$project', { $project: { n: 1 } }, { ...NO_FIELDS, n: 5 }],
  ['$unset', { $unset: 'n' }, { n: undefined }],
  ['$replaceRoot', { $replaceRoot: { newRoot: { x: '$n' } } }, { ...NO_FIELDS, x: 5 }],
  ['$replaceWith', { $replaceWith: { x: '$n' } }, { ...NO_FIELDS, x: 5 }],
];

/** Updates that are refused, by which code. */
export const REFUSED_UPDATES: [string, number, Literal][] = [
  ['$pushAll', 9, { $pushAll: { a: [1] } }],
  ['$isolated', 9, { $isolated: 1 }],
  ['$nope', 9, { $nope: { n: 1 } }],
  ['$nope', 2, { $push: { a: { $each: [1], $nope: 1 } } }],
  ['$nope', 2, { $addToSet: { a: { $each: [1], $nope: 1 } } }],
  ['nope', 2, { $bit: { n: { nope: 1 } } }],
  ['date', 2, { $currentDate: { d: { $type: 'nope' } } }],
  ['$match', 72, [{ $match: {} }]],
  ['$group', 72, [{ $group: { _id: 1 } }]],
  ['$nope', 72, [{ $nope: {} }]],
];
