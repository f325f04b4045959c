// biome-ignore-all lint/suspicious/noThenProperty: that is MongoDB's own name for it
import { compileExpression, EXPRESSIONS, signatureOf } from '../aggregation/expression.ts';
import type { NamedSignature, WhenNullish } from '../aggregation/operators/arguments.ts';
import { variablesOf } from '../aggregation/variables.ts';
import { type Literal, toValue, UNDEFINED, type Value } from '../bson/values.ts';
import { MongoError } from '../errors.ts';

const at = new Date('2024-02-29T13:14:15.016Z');
const variables = variablesOf().withRoot(toValue({ u: UNDEFINED }));

/** What an expression answers: a value, undefined for a missing one, or the code of an error. */
function answerOf(expression: Literal): Value | undefined | { code: number } {
  try {
    return compileExpression(toValue(expression))(variables);
  } catch (error) {
    if (error instanceof MongoError) return { code: error.code };
    throw error;
  }
}

/** The required arguments of operators that have named arguments. With `date` null the argument onNull is used. */
const REQUIRED: Record<string, Record<string, Literal>> = {
  $cond: { if: true, then: 1, else: 2 },
  $convert: { input: null, to: 'int' },
  $dateAdd: { startDate: at, unit: 'day', amount: 1 },
  $dateDiff: { startDate: at, endDate: at, unit: 'week' },
  $dateSubtract: { startDate: at, unit: 'day', amount: 1 },
  $dateToString: { date: at },
  $dateTrunc: { date: at, unit: 'week' },
  $filter: { input: [1, 2], cond: true },
  $firstN: { n: 1, input: [1] },
  $getField: { field: 'a', input: {} },
  $lastN: { n: 1, input: [1] },
  $let: { vars: {}, in: 1 },
  $map: { input: [1], in: 1 },
  $maxN: { n: 1, input: [1] },
  $minN: { n: 1, input: [1] },
  $reduce: { input: [], initialValue: 1, in: 1 },
  $regexFind: { input: 'a', regex: 'a' },
  $regexFindAll: { input: 'a', regex: 'a' },
  $regexMatch: { input: 'a', regex: 'a' },
  $replaceAll: { input: 'a', find: 'a', replacement: 'b' },
  $replaceOne: { input: 'a', find: 'a', replacement: 'b' },
  $setField: { field: 'a', input: {}, value: 1 },
  $sortArray: { input: [], sortBy: 1 },
  $switch: { branches: [{ case: false, then: 1 }] },
  $unsetField: { field: 'a', input: {} },
  $zip: { inputs: [[1], [2]] },
  $ltrim: { input: ' a ' },
  $rtrim: { input: ' a ' },
  $trim: { input: ' a ' },
};

/** The required arguments of the operators of parts of dates. */
const DATE = { date: at };

/** Other required arguments, for optional ones that come to bear only with these. */
const BESIDE: Record<string, Record<string, Literal>> = {
  'onError of $convert': { input: 'x' },
  'onNull of $dateToString': { date: null },
};

const POSITIONAL: Record<string, Literal[]> = {
  $indexOfArray: [[1], 1],
  $indexOfBytes: ['abc', 'a'],
  $indexOfCP: ['abc', 'a'],
  $range: [0, 3],
  $round: [1.5],
  $slice: [[1, 2], 1],
  $trunc: [1.5],
};

/** A valid argument before the last optional one. */
const FILLER = 0;

interface Case {
  title: string;
  nullish: WhenNullish;
  omitted: Literal;
  given(value: Literal): Literal;
}

const requiredOf = (name: string): Record<string, Literal> => REQUIRED[name] ?? DATE;

const NAMED = EXPRESSIONS.flatMap((name): [string, NamedSignature][] => {
  const signature = signatureOf(name);
  return signature && 'unknown' in signature ? [[name, signature]] : [];
});

const CASES: Case[] = EXPRESSIONS.flatMap((name) => {
  const signature = signatureOf(name);
  if (!signature) return [];
  if ('unknown' in signature) {
    return Object.entries(signature.optional).map(([part, nullish]): Case => {
      const title = `${part} of ${name}`;
      const required = { ...requiredOf(name), ...BESIDE[title] };
      return {
        title,
        nullish,
        omitted: { [name]: required },
        given: (value) => ({ [name]: { ...required, [part]: value } }),
      };
    });
  }
  return signature.optional.map((nullish, i): Case => {
    const before = [...(POSITIONAL[name] ?? []), ...Array<Literal>(i).fill(FILLER)];
    return {
      title: `argument ${before.length + 1} of ${name}`,
      nullish,
      omitted: { [name]: before },
      given: (value) => ({ [name]: [...before, value] }),
    };
  });
});

describe('an optional argument', () => {
  it('is told from an omitted one in every operator that has one', () => {
    expect(CASES.length).toBeGreaterThan(40);
  });

  it.each(CASES)('$title: $nullish', ({ title, nullish, omitted, given }) => {
    const without = answerOf(omitted);
    const [missing, none, undefinedValue] = ['$missing', null, '$u'].map((value) =>
      answerOf(given(value)),
    );
    if (nullish === 'null') {
      expect(without).not.toHaveProperty('code');
      expect([missing, none, undefinedValue]).toEqual([null, null, null]);
    } else if (nullish === 'default') {
      expect(without).not.toHaveProperty('code');
      expect([missing, none, undefinedValue]).toEqual([without, without, without]);
    } else if (nullish === 'value') {
      expect([missing, none, undefinedValue]).toEqual([undefined, null, UNDEFINED]);
    } else {
      expect({ title, without }).not.toHaveProperty('without.code');
      const codes = [missing, none, undefinedValue];
      expect(codes).toEqual(codes.map(() => ({ code: expect.any(Number) })));
    }
  });
});

describe('named arguments', () => {
  it.each(NAMED)('of %s are refused by MongoDB’s codes', (name, signature) => {
    const required = requiredOf(name);
    expect(Object.keys(required).sort()).toEqual(Object.keys(signature.required).sort());
    const { code: unknown } = new MongoError(signature.unknown, '');
    expect(answerOf({ [name]: { ...required, unknownArgument: 1 } })).toEqual({ code: unknown });
    for (const part of Object.keys(required)) {
      const { [part]: _, ...others } = required;
      const { code } = new MongoError(signature.required[part] ?? 0, '');
      expect(answerOf({ [name]: others })).toEqual({ code });
    }
  });

  it.each<[number, Literal]>([
    [16874, { $let: 1 }],
    [16876, { $let: { in: 1 } }],
    [16877, { $let: { vars: {} } }],
    [10065, { $let: { vars: [], in: 1 } }],
    [10065, { $let: { vars: null, in: 1 } }],
    [9, { $let: { vars: { A: 1 }, in: 1 } }],
    [9, { $let: { vars: { 'a-b': 1 }, in: 1 } }],
    [9, { $map: { input: [1], as: '', in: 1 } }],
    [40061, { $switch: { branches: null } }],
    [40063, { $switch: { branches: [{ case: true, then: 1, other: 1 }] } }],
    [34463, { $zip: { inputs: [[1]], useLongestLength: null } }],
    [34462, { $zip: { inputs: [[1]], defaults: null } }],
    [327391, { $filter: { input: [1], cond: true, limit: 'x' } }],
    [327392, { $filter: { input: [1], cond: true, limit: 0 } }],
    [40096, { $indexOfCP: ['a', 'a', null] }],
    [40097, { $indexOfCP: ['a', 'a', -1] }],
    [34447, { $range: [0, 1, '$missing'] }],
    [28667, { $range: [0] }],
    [16020, { $divide: [1] }],
    [17045, { $setEquals: [[1]] }],
    [3040501, { $rand: [1] }],
    [5654602, { $getField: { field: 1, input: {} } }],
    [4161107, { $setField: { field: 1, input: {}, value: 1 } }],
    [18535, { $dateToString: { date: null, format: '%' } }],
    [18536, { $dateToString: { date: null, format: '%q' } }],
    [238, { $dateToString: { date: at, format: '%V' } }],
    [18533, { $dateToString: { date: null, format: 1 } }],
  ])('are refused with %i: %j', (code, expression) => {
    expect(answerOf(expression)).toEqual({ code });
  });
});

describe('null', () => {
  it.each<[Literal, Literal]>([
    [{ $round: ['x', null] }, { code: 51081 }],
    [{ $trim: { input: 1, chars: null } }, { code: 50699 }],
    [{ $slice: ['x', 1, null] }, { code: 28724 }],
    [{ $slice: [null, 'x', 1] }, null],
    [{ $split: [1, null] }, null],
    [{ $split: [1, 2] }, { code: 40085 }],
    [{ $replaceOne: { input: null, find: 1, replacement: 'x' } }, { code: 51745 }],
    [{ $regexMatch: { input: null, regex: 1 } }, { code: 51105 }],
    [{ $regexMatch: { input: null, regex: '(' } }, { code: 51111 }],
    [{ $regexFind: { input: 1, regex: '(' } }, { code: 51111 }],
    [{ $regexFind: { input: '$missing', regex: 'a\0' } }, { code: 51109 }],
    [{ $regexFindAll: { input: null, regex: null, options: '\0' } }, { code: 51110 }],
    [{ $regexFindAll: { input: 1, regex: null } }, { code: 51104 }],
    [{ $setUnion: [1, null] }, { code: 17043 }],
    [{ $setUnion: [null, 1] }, null],
    [{ $setIntersection: [1, null] }, { code: 17047 }],
    [{ $setIntersection: [[], null] }, []],
    [{ $setDifference: [1, null] }, null],
    [{ $setDifference: [1, 2] }, { code: 17048 }],
    [{ $setIsSubset: [1, 2] }, { code: 17046 }],
    [{ $subtract: ['x', null] }, null],
    [{ $add: ['x', null] }, { code: 14 }],
    [{ $add: [null, 'x'] }, null],
    [{ $concat: [1, null] }, { code: 16702 }],
    [{ $concat: [null, 1] }, null],
    [{ $pow: ['x', null] }, null],
    [{ $pow: ['x', 1] }, { code: 28762 }],
    [{ $abs: 'x' }, { code: 28765 }],
    [{ $year: { date: 'x', timezone: null } }, { code: 16006 }],
    [{ $year: { date: null, timezone: 1 } }, null],
    [{ $dateToString: { date: 'x', timezone: null } }, null],
    [{ $dateToString: { date: null, timezone: 1 } }, { code: 40517 }],
    [{ $dateAdd: { startDate: 'x', unit: 'day', amount: null } }, null],
    [{ $dateTrunc: { date: 'x', unit: 'day', binSize: null } }, null],
    [{ $dateTrunc: { date: at, unit: null, binSize: -1 } }, { code: 5439018 }],
    [{ $dateTrunc: { date: null, unit: 'day', binSize: -1 } }, null],
    [{ $dateTrunc: { date: at, unit: 'day', startOfWeek: null } }, new Date('2024-02-29')],
    [{ $zip: { inputs: [null, 1] } }, null],
    [{ $zip: { inputs: [1, null] } }, { code: 34468 }],
    [{ $convert: { input: null, to: 'nothing' } }, { code: 2 }],
    [{ $convert: { input: null, to: null, onNull: 1 } }, 1],
  ])('comes before errors of type or after, as in MongoDB: %j', (expression, wanted) => {
    const answer = answerOf(expression);
    const isCode = typeof wanted === 'object' && wanted !== null && 'code' in wanted;
    expect(answer).toEqual(isCode ? wanted : toValue(wanted));
  });
});
