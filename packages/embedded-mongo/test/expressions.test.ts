// biome-ignore-all lint/suspicious/noThenProperty: that is MongoDB's own name for it
import { Decimal128 } from 'bson';
import { compileExpression, EXPRESSIONS } from '../aggregation/expression.ts';
import { variablesOf } from '../aggregation/variables.ts';
import { Double, type Literal, ObjectId, toValue } from '../bson/values.ts';

const at = new Date('2024-02-29T13:14:15.016Z');
const id = new ObjectId(Buffer.from('65e0f8a70000000000000000', 'hex'));
const long = (n: number): bigint => BigInt(n);
const double = (n: number): Double => new Double(n);

const root = {
  a: 5,
  b: [3, 1, 2],
  s: 'Grüße',
  d: { x: 1, y: null },
  l: [{ q: 1 }, { q: 2 }, {}],
  at,
  n: null,
};

const TABLE: [string, Literal, Literal][] = [
  ['$abs', '$a', 5],
  ['$abs', double(-2.5), double(2.5)],
  ['$add', ['$a', 1], 6],
  ['$add', [2147483647, 1], long(2147483648)],
  ['$add', [1, double(0.5)], double(1.5)],
  ['$add', ['$at', 1000], new Date(at.getTime() + 1000)],
  ['$add', ['$n', 1], null],
  ['$subtract', ['$at', new Date(0)], long(at.getTime())],
  ['$subtract', [7, long(3)], long(4)],
  ['$multiply', [3, Decimal128.fromString('1.50')], Decimal128.fromString('4.50')],
  ['$divide', [7, 2], double(3.5)],
  ['$mod', [-7, 3], -1],
  ['$pow', [2, 40], long(2 ** 40)],
  ['$ceil', double(1.2), double(2)],
  ['$floor', double(-1.2), double(-2)],
  ['$exp', 0, double(1)],
  ['$sqrt', 9, double(3)],
  ['$ln', 1, double(0)],
  ['$log10', 100, double(2)],
  ['$round', [double(2.5)], double(2)],
  ['$round', [double(1.005), 2], double(1)],
  ['$round', [1234, -2], 1200],
  ['$trunc', [double(-1.79), 1], double(-1.7)],
  ['$eq', ['$a', double(5)], true],
  ['$ne', ['$a', '5'], true],
  ['$gt', ['$b', '$a'], true],
  ['$gte', ['$missing', null], false],
  ['$lt', [null, 0], true],
  ['$lte', [1, 1], true],
  ['$cmp', ['b', 'a'], 1],
  ['$and', [1, 'x', []], true],
  ['$or', [0, null, '$missing'], false],
  ['$not', [0], true],
  ['$cond', [{ $gt: ['$a', 3] }, 'more', 'less'], 'more'],
  ['$cond', { if: false, then: 1, else: 2 }, 2],
  ['$ifNull', ['$missing', '$n', 3], 3],
  [
    '$switch',
    {
      branches: [
        { case: false, then: 1 },
        { case: true, then: 2 },
      ],
      default: 3,
    },
    2,
  ],
  ['$literal', '$a', '$a'],
  ['$const', { $add: 1 }, { $add: 1 }],
  ['$let', { vars: { x: '$a' }, in: { $add: ['$$x', '$a'] } }, 10],
  ['$map', { input: '$b', as: 'e', in: { $multiply: ['$$e', 2] } }, [6, 2, 4]],
  ['$filter', { input: '$b', cond: { $gt: ['$$this', 1] } }, [3, 2]],
  ['$reduce', { input: '$b', initialValue: 0, in: { $add: ['$$value', '$$this'] } }, 6],
  ['$sortArray', { input: '$b', sortBy: 1 }, [1, 2, 3]],
  ['$sortArray', { input: '$l', sortBy: { q: -1 } }, [{ q: 2 }, { q: 1 }, {}]],
  ['$arrayElemAt', ['$b', -1], 2],
  ['$first', '$b', 3],
  ['$last', ['$b'], 2],
  ['$firstN', { n: 2, input: '$b' }, [3, 1]],
  ['$lastN', { n: 2, input: '$b' }, [1, 2]],
  ['$minN', { n: 2, input: '$b' }, [1, 2]],
  ['$maxN', { n: 2, input: '$b' }, [3, 2]],
  ['$concatArrays', ['$b', [9]], [3, 1, 2, 9]],
  ['$concatArrays', [], []],
  ['$concatArrays', [[[1]], [[2]]], [[1], [2]]],
  ['$size', { $setUnion: [{ $concatArrays: ['$b', [9]] }, '$b'] }, 4],
  ['$slice', ['$b', -2], [1, 2]],
  ['$slice', ['$b', 1, 1], [1]],
  ['$range', [0, 5, 2], [0, 2, 4]],
  ['$indexOfArray', ['$b', 2], 2],
  ['$in', [1, '$b'], true],
  ['$size', '$b', 3],
  ['$isArray', ['$b'], true],
  ['$reverseArray', '$b', [2, 1, 3]],
  [
    '$arrayToObject',
    [
      [
        ['k', 1],
        ['m', 2],
      ],
    ],
    { k: 1, m: 2 },
  ],
  [
    '$objectToArray',
    '$d',
    [
      { k: 'x', v: 1 },
      { k: 'y', v: null },
    ],
  ],
  [
    '$zip',
    { inputs: ['$b', ['x', 'y']], useLongestLength: true, defaults: [0, '-'] },
    [
      [3, 'x'],
      [1, 'y'],
      [2, '-'],
    ],
  ],
  ['$setUnion', ['$b', [1, 7]], [1, 2, 3, 7]],
  ['$setIntersection', ['$b', [2, 1]], [1, 2]],
  ['$setDifference', [[3, 1, 2, 3], [2]], [3, 1]],
  ['$setIsSubset', [[1, 2], '$b'], true],
  [
    '$setEquals',
    [
      [1, 2, 2],
      [2, 1],
    ],
    true,
  ],
  ['$anyElementTrue', [[0, 1]], true],
  ['$allElementsTrue', [[0, 1]], false],
  ['$mergeObjects', ['$d', { y: 2 }], { x: 1, y: 2 }],
  ['$getField', 'a', 5],
  ['$getField', { field: 'x', input: '$d' }, 1],
  ['$setField', { field: 'x.y', input: '$d', value: 2 }, { x: 1, y: null, 'x.y': 2 }],
  ['$unsetField', { field: 'y', input: '$d' }, { x: 1 }],
  ['$concat', ['$s', '!'], 'Grüße!'],
  ['$toLower', 'ABÜ', 'abÜ'],
  ['$toUpper', 'abü', 'ABü'],
  ['$toLower', double(Number.POSITIVE_INFINITY), 'inf'],
  ['$toUpper', double(Number.NEGATIVE_INFINITY), '-INF'],
  ['$toUpper', double(Number.NaN), 'NAN'],
  ['$toUpper', double(1e20), '1E+20'],
  ['$toLower', Decimal128.fromString('Infinity'), 'infinity'],
  ['$toString', double(Number.NEGATIVE_INFINITY), '-Infinity'],
  ['$strLenCP', '$s', 5],
  ['$strLenBytes', '$s', 7],
  ['$strcasecmp', ['ab', 'AC'], -1],
  ['$substrCP', ['$s', 1, 3], 'rüß'],
  ['$substrBytes', ['abc', 1, 5], 'bc'],
  ['$substr', ['abc', 0, 2], 'ab'],
  ['$split', ['a,b,,c', ','], ['a', 'b', '', 'c']],
  ['$trim', { input: '  x ' }, 'x'],
  ['$ltrim', { input: 'xxab', chars: 'x' }, 'ab'],
  ['$rtrim', { input: 'abxx', chars: 'x' }, 'ab'],
  ['$indexOfCP', ['$s', 'e'], 4],
  ['$indexOfCP', ['abc', 'bc', 0, 2], 1],
  ['$indexOfCP', ['abc', '', 3], -1],
  ['$indexOfBytes', ['$s', 'e'], 6],
  ['$indexOfBytes', ['abc', 'bc', 0, 2], -1],
  ['$indexOfBytes', ['abc', '', 3], 3],
  ['$replaceOne', { input: 'a.a', find: 'a', replacement: { $literal: '$' } }, '$.a'],
  ['$replaceAll', { input: 'a.a', find: 'a', replacement: { $literal: '$&' } }, '$&.$&'],
  ['$regexMatch', { input: '$s', regex: '^gr', options: 'i' }, true],
  ['$regexFind', { input: '$s', regex: 'ß(e)' }, { match: 'ße', idx: 3, captures: ['e'] }],
  [
    '$regexFindAll',
    { input: 'aba', regex: 'a' },
    [
      { match: 'a', idx: 0, captures: [] },
      { match: 'a', idx: 2, captures: [] },
    ],
  ],
  ['$toInt', '12', 12],
  ['$toLong', double(3.9), long(3)],
  ['$toDouble', '1.5', double(1.5)],
  ['$toDecimal', 2, Decimal128.fromString('2')],
  ['$toString', id, '65e0f8a70000000000000000'],
  ['$toString', '$at', '2024-02-29T13:14:15.016Z'],
  ['$toBool', 'false', true],
  ['$toDate', id, new Date(0x65e0f8a7 * 1000)],
  ['$toDate', '2024-02-29', new Date('2024-02-29T00:00:00Z')],
  ['$toObjectId', '65e0f8a70000000000000000', id],
  ['$convert', { input: 'x', to: 'int', onError: -1 }, -1],
  ['$convert', { input: null, to: 'int', onNull: 0 }, 0],
  ['$type', '$missing', 'missing'],
  ['$type', '$b', 'array'],
  ['$isNumber', '$a', true],
  ['$year', '$at', 2024],
  ['$month', { date: '$at' }, 2],
  ['$dayOfMonth', '$at', 29],
  ['$dayOfWeek', '$at', 5],
  ['$dayOfYear', '$at', 60],
  ['$hour', { date: '$at', timezone: '+02:00' }, 15],
  ['$minute', '$at', 14],
  ['$second', '$at', 15],
  ['$millisecond', '$at', 16],
  [
    '$dateToString',
    { date: '$at', format: '%Y-%m-%d %H:%M:%S.%L %z %Z %%' },
    '2024-02-29 13:14:15.016 +0000 +0 %',
  ],
  ['$dateAdd', { startDate: '$at', unit: 'year', amount: 1 }, new Date('2025-02-28T13:14:15.016Z')],
  [
    '$dateSubtract',
    { startDate: '$at', unit: 'month', amount: 1 },
    new Date('2024-01-29T13:14:15.016Z'),
  ],
  ['$dateTrunc', { date: '$at', unit: 'hour', binSize: 6 }, new Date('2024-02-29T12:00:00Z')],
  ['$dateTrunc', { date: '$at', unit: 'week' }, new Date('2024-02-25T00:00:00Z')],
  [
    '$dateDiff',
    { startDate: new Date('2023-12-31T23:00:00Z'), endDate: '$at', unit: 'month' },
    long(2),
  ],
  ['$sum', ['$a', double(0.5), 'x'], double(5.5)],
  ['$avg', '$b', double(2)],
  ['$min', '$b', 1],
  ['$max', [1, 'a', null], 'a'],
  ['$stdDevPop', [[1, 3]], double(1)],
  ['$stdDevSamp', [1], null],
];

describe('expressions', () => {
  const variables = variablesOf().withRoot(toValue(root));

  it.each(TABLE)('%s of %j', (name, argument, wanted) => {
    const result = compileExpression(toValue({ [name]: argument }))(variables);
    expect(result).toEqual(toValue(wanted));
  });

  it('are all in this table', () => {
    const tried = new Set(TABLE.map(([name]) => name));
    expect(EXPRESSIONS.filter((name) => !tried.has(name) && name !== '$rand')).toEqual([]);
  });

  it('follow paths through arrays, where an index is only a name', () => {
    const value = (path: string) => compileExpression(path)(variables);
    expect(value('$l.q')).toEqual([1, 2]);
    expect(value('$b.0')).toEqual([]);
    expect(value('$d.x.y')).toBeUndefined();
    expect(value('$$ROOT.a')).toBe(5);
  });
});
