import { Decimal128 } from 'bson';
import { Double, type Literal, ObjectId } from '../../bson/values.ts';

const words = (text: string): string[] => text.trim().split(/\s+/);

/** All expressions of MongoDB 7.0. `expressions.test.ts` has examples of those that work. */
export const EXPRESSIONS = words(`
  $abs $acos $acosh $add $allElementsTrue $and $anyElementTrue $arrayElemAt $arrayToObject $asin $asinh $atan $atan2
  $atanh $avg $binarySize $bitAnd $bitNot $bitOr $bitXor $bsonSize $ceil $cmp $concat $concatArrays $cond $const
  $convert $cos $cosh $dateAdd $dateDiff $dateFromParts $dateFromString $dateSubtract $dateToParts $dateToString
  $dateTrunc $dayOfMonth $dayOfWeek $dayOfYear $degreesToRadians $divide $eq $exp $filter $first $firstN $floor
  $function $getField $gt $gte $hour $ifNull $in $indexOfArray $indexOfBytes $indexOfCP $isArray $isNumber
  $isoDayOfWeek $isoWeek $isoWeekYear $last $lastN $let $literal $ln $log $log10 $lt $lte $ltrim $map $max $maxN
  $median $mergeObjects $meta $millisecond $min $minN $minute $mod $month $multiply $ne $not $objectToArray $or
  $percentile $pow $radiansToDegrees $rand $range $reduce $regexFind $regexFindAll $regexMatch $replaceAll $replaceOne
  $reverseArray $round $rtrim $sampleRate $second $setDifference $setEquals $setField $setIntersection $setIsSubset
  $setUnion $sin $sinh $size $slice $sortArray $split $sqrt $stdDevPop $stdDevSamp $strLenBytes $strLenCP $strcasecmp
  $substr $substrBytes $substrCP $subtract $sum $switch $tan $tanh $toBool $toDate $toDecimal $toDouble
  $toHashedIndexKey $toInt $toLong $toLower $toObjectId $toString $toUpper $trim $trunc $tsIncrement $tsSecond $type
  $unsetField $week $year $zip`);

/** Accumulators of $group with an example over the numbers 5, 8 and a missing one, and the result. */
export const ACCUMULATORS: [string, Literal, Literal][] = [
  ['$addToSet', 1, [1]],
  ['$avg', '$n', 6.5],
  ['$count', {}, 3],
  ['$first', '$n', 5],
  ['$firstN', { input: '$n', n: 2 }, [5, 8]],
  ['$last', '$n', null],
  ['$lastN', { input: '$n', n: 2 }, [8, null]],
  ['$max', '$n', 8],
  ['$maxN', { input: '$n', n: 1 }, [8]],
  ['$mergeObjects', '$o', { x: 1 }],
  ['$min', '$n', 5],
  ['$minN', { input: '$n', n: 1 }, [5]],
  ['$push', '$n', [5, 8]],
  ['$stdDevPop', '$n', 1.5],
  ['$stdDevSamp', 1, new Double(0)],
  ['$sum', '$n', 13],
];
export const REFUSED_ACCUMULATORS: [string, number][] = [
  ...words('$accumulator $bottom $bottomN $median $percentile $top $topN').map(
    (name): [string, number] => [name, 238],
  ),
  // MongoDB has these only in $setWindowFields.
  ...words(`$covariancePop $covarianceSamp $denseRank $derivative $documentNumber $expMovingAvg $integral $linearFill
    $locf $rank $shift $nope`).map((name): [string, number] => [name, 15952]),
];

/** Stages, with the number of documents that an example finds. */
export const STAGES: [string, Literal, number][] = [
  ['$addFields', { x: 1 }, 3],
  ['$bucket', { groupBy: '$_id', boundaries: [0, 2, 9] }, 2],
  ['$collStats', { count: {} }, 1],
  ['$count', 'x', 1],
  ['$documents', [{ x: 1 }, { x: 2 }], 2],
  ['$facet', { x: [{ $limit: 1 }] }, 1],
  ['$group', { _id: null }, 1],
  ['$limit', 2, 2],
  ['$lookup', { from: 'c', localField: 'n', foreignField: 'n', as: 'x' }, 3],
  ['$match', { n: 5 }, 1],
  ['$merge', 'd', 0],
  ['$out', 'd', 0],
  ['$project', { n: 1 }, 3],
  ['$replaceRoot', { newRoot: { x: 1 } }, 3],
  ['$replaceWith', { x: 1 }, 3],
  ['$sample', { size: 2 }, 2],
  ['$set', { x: 1 }, 3],
  ['$skip', 1, 2],
  ['$sort', { n: -1 }, 3],
  ['$sortByCount', '$s', 3],
  ['$unionWith', 'c', 6],
  ['$unset', 'n', 3],
  ['$unwind', '$a', 4],
];
export const REFUSED_STAGES: [string, number][] = [
  ...words(`$bucketAuto $changeStreamSplitLargeEvent $currentOp $densify $fill $geoNear $graphLookup $indexStats
    $listLocalSessions $listSampledQueries $listSearchIndexes $listSessions $planCacheStats $redact $search $searchMeta
    $setWindowFields $shardedDataDistribution $vectorSearch`).map((name): [string, number] => [
    name,
    238,
  ]),
  ['$changeStream', 40573],
  ['$nope', 40324],
];

/** Format characters of $dateToString with what they make of 2020-03-05T06:07:08.009Z at +05:30. */
export const FORMATS: [string, string][] = [
  ['%d', '05'],
  ['%H', '11'],
  ['%j', '065'],
  ['%L', '009'],
  ['%m', '03'],
  ['%M', '37'],
  ['%S', '08'],
  ['%u', '4'],
  ['%w', '5'],
  ['%Y', '2020'],
  ['%z', '+0530'],
  ['%Z', '+330'],
  ['%%', '%'],
];
export const REFUSED_FORMATS: [string, number][] = [
  ['%b', 238],
  ['%B', 238],
  ['%G', 238],
  ['%U', 238],
  ['%V', 238],
  ['%q', 18536],
];

/** Types to which $convert converts, by name and number, with a value and the converted value. */
export const CONVERSIONS: [string, number, Literal, Literal][] = [
  ['double', 1, '1.5', 1.5],
  ['string', 2, 5, '5'],
  [
    'objectId',
    7,
    '0102030405060708090a0b0c',
    new ObjectId(Buffer.from('0102030405060708090a0b0c', 'hex')),
  ],
  ['bool', 8, 5, true],
  ['date', 9, 5n, new Date(5)],
  ['int', 16, '5', 5],
  ['long', 18, '5', 5n],
  ['decimal', 19, '1.5', Decimal128.fromString('1.5')],
];

/** System variables that are refused, by which code. The variables of $redact are known in $redact only. */
export const REFUSED_VARIABLES: [string, number][] = [
  ['$$CLUSTER_TIME', 238],
  ['$$SEARCH_META', 238],
  ['$$USER_ROLES', 238],
  ['$$JS_SCOPE', 17276],
  ['$$DESCEND', 17276],
  ['$$PRUNE', 17276],
  ['$$KEEP', 17276],
  ['$$nope', 17276],
];
