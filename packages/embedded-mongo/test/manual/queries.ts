import { Decimal128 } from 'bson';
import {
  BinData,
  Deprecated,
  type Literal,
  MAX_KEY,
  MIN_KEY,
  ObjectId,
  Regex,
  Timestamp,
  UNDEFINED,
} from '../../bson/values.ts';
import type { Fields } from './helper.ts';

/** Query operators with a filter and the ids that it finds. */
export const QUERY_OPERATORS: [string, Fields, number[]][] = [
  ['$eq', { n: { $eq: 5 } }, [1]],
  ['$ne', { n: { $ne: 5 } }, [2, 3]],
  ['$gt', { n: { $gt: 5 } }, [2]],
  ['$gte', { n: { $gte: 5 } }, [1, 2]],
  ['$lt', { n: { $lt: 8 } }, [1]],
  ['$lte', { n: { $lte: 8 } }, [1, 2]],
  ['$in', { n: { $in: [8, null] } }, [2, 3]],
  ['$nin', { n: { $nin: [8, null] } }, [1]],
  ['$and', { $and: [{ n: 5 }, { s: 'Text' }] }, [1]],
  ['$or', { $or: [{ n: 5 }, { _id: 3 }] }, [1, 3]],
  ['$nor', { $nor: [{ n: 5 }, { _id: 3 }] }, [2]],
  ['$not', { n: { $not: { $gt: 5 } } }, [1, 3]],
  ['$exists', { n: { $exists: false } }, [3]],
  ['$type', { a: { $type: 'array' } }, [1, 2]],
  ['$expr', { $expr: { $eq: ['$o.x', 1] } }, [1]],
  ['$mod', { n: { $mod: [4, 0] } }, [2]],
  ['$regex', { s: { $regex: '^o' } }, [2]],
  ['$options', { s: { $regex: '^O', $options: 'i' } }, [2]],
  ['$all', { a: { $all: [1, 3] } }, [1]],
  ['$elemMatch', { l: { $elemMatch: { x: { $gt: 1 } } } }, [1]],
  ['$size', { a: { $size: 1 } }, [2]],
  ['$bitsAllClear', { n: { $bitsAllClear: [1] } }, [1, 2]],
  ['$bitsAllSet', { n: { $bitsAllSet: [0, 2] } }, [1]],
  ['$bitsAnyClear', { n: { $bitsAnyClear: [0, 2] } }, [2]],
  ['$bitsAnySet', { n: { $bitsAnySet: [3] } }, [2]],
  ['$comment', { n: 5, $comment: 'why' }, [1]],
  ['$alwaysTrue', { $alwaysTrue: 1 }, [1, 2, 3]],
  ['$alwaysFalse', { $alwaysFalse: 1 }, []],
];

const point = { type: 'Point', coordinates: [0, 0] };

/** Query operators that are refused: by which code, in which filter. */
export const REFUSED_QUERY_OPERATORS: [string, number, Fields][] = [
  ['$where', 238, { $where: 'true' }],
  ['$text', 27, { $text: { $search: 'a' } }],
  ['$jsonSchema', 238, { $jsonSchema: {} }],
  ['$sampleRate', 238, { $sampleRate: 0.5 }],
  ['$near', 291, { p: { $near: { $geometry: point } } }],
  ['$near', 291, { p: { $near: [0, 0], $maxDistance: 1 } }],
  ['$nearSphere', 291, { p: { $nearSphere: { $geometry: point, $minDistance: 1 } } }],
  ['$geoNear', 291, { p: { $geoNear: [0, 0] } }],
  ['$geoWithin', 238, { p: { $geoWithin: { $geometry: point } } }],
  ['$geoWithin', 238, { p: { $geoWithin: { $box: [] } } }],
  ['$geoWithin', 238, { p: { $geoWithin: { $center: [] } } }],
  ['$geoWithin', 238, { p: { $geoWithin: { $centerSphere: [] } } }],
  ['$geoWithin', 238, { p: { $geoWithin: { $polygon: [] } } }],
  ['$within', 238, { p: { $within: { $box: [] } } }],
  ['$geoIntersects', 238, { p: { $geoIntersects: { $geometry: point } } }],
  // MongoDB has these only beside or within a geo operator, and nowhere by themselves.
  ['$maxDistance', 2, { p: { $maxDistance: 1 } }],
  ['$minDistance', 2, { p: { $minDistance: 1 } }],
  ['$geometry', 2, { p: { $geometry: point } }],
  ['$nope', 2, { p: { $nope: 1 } }],
  ['$nope', 2, { $nope: 1 }],
  ['$gt', 2, { $gt: 1 }],
  ['$not', 2, { $not: { n: 1 } }],
];

/** The BSON bytes of a string. */
function stringBytes(text: string): Buffer {
  const bytes = Buffer.from(`\0\0\0\0${text}\0`);
  bytes.writeInt32LE(bytes.length - 4);
  return bytes;
}
const scoped = Buffer.concat([
  Buffer.from([14, 0, 0, 0]),
  stringBytes(''),
  Buffer.from([5, 0, 0, 0, 0]),
]);

/** Names and numbers of types, with a value of the type. */
export const TYPES: [string, number, Literal][] = [
  ['double', 1, 1.5],
  ['string', 2, 'a'],
  ['object', 3, {}],
  ['array', 4, [[]]],
  ['binData', 5, new BinData(0, Buffer.alloc(1))],
  ['undefined', 6, UNDEFINED],
  ['objectId', 7, new ObjectId(Buffer.alloc(12))],
  ['bool', 8, true],
  ['date', 9, new Date(0)],
  ['null', 10, null],
  ['regex', 11, new Regex('a', 'i')],
  ['dbPointer', 12, new Deprecated(12, Buffer.concat([stringBytes('c'), Buffer.alloc(12)]))],
  ['javascript', 13, new Deprecated(13, stringBytes('1'))],
  ['symbol', 14, new Deprecated(14, stringBytes('a'))],
  ['javascriptWithScope', 15, new Deprecated(15, scoped)],
  ['int', 16, 1],
  ['timestamp', 17, new Timestamp(1n)],
  ['long', 18, 1n],
  ['decimal', 19, Decimal128.fromString('1')],
  ['minKey', -1, MIN_KEY],
  ['maxKey', 127, MAX_KEY],
];

/** Aliases and numbers of no type, by code. */
export const NO_TYPES: [Literal, number][] = [
  ['missing', 2],
  ['float', 2],
  [0, 2],
  [20, 2],
  [-2, 2],
  [1.5, 2],
  [true, 14],
  [[], 9],
];

/** Options of regular expressions, with a pattern that matches only by the option, and the ids. */
export const REGEX_OPTIONS: [string, string, number[]][] = [
  ['i', '^text$', [1]],
  ['m', '^b', [3]],
  ['s', 'a.b', [3]],
  ['x', 'T e x t', [1]],
  ['u', 'Text', [1]],
];

/** Projections, and what they show of the first document. */
export const PROJECTIONS: [string, Fields, Literal][] = [
  ['inclusion', { n: 1 }, { _id: 1, n: 5 }],
  ['exclusion', { a: 0, s: 0, o: 0, l: 0 }, { _id: 1, n: 5 }],
  ['$', { _id: 0, 'a.$': 1 }, { a: [2] }],
  ['$elemMatch', { _id: 0, l: { $elemMatch: { x: 2 } } }, { l: [{ x: 2 }] }],
  ['$slice', { _id: 0, a: { $slice: [1, 1] }, n: 1 }, { a: [2], n: 5 }],
  ['expression', { _id: 0, m: { $add: ['$n', 1] } }, { m: 6 }],
];
export const REFUSED_PROJECTIONS: [string, number, Fields][] = [
  ['$meta', 238, { score: { $meta: 'textScore' } }],
  ['$nope', 168, { n: { $nope: 1 } }],
];
