import { Decimal128 } from 'bson';
import fc from 'fast-check';
import { compileExpression } from '../aggregation/expression.ts';
import { compileAccumulator } from '../aggregation/group-accumulators.ts';
import { variablesOf } from '../aggregation/variables.ts';
import { arithmetic } from '../bson/arithmetic.ts';
import { decimalOf } from '../bson/decimals.ts';
import { Double, type Literal, toDocument, toValue } from '../bson/values.ts';
import type { MongoError } from '../errors.ts';
import { compileFilter } from '../query/match.ts';

const decimal = (text: string): Decimal128 => Decimal128.fromString(text);
const double = (n: number): Double => new Double(n);
const MAX = 9_223_372_036_854_775_807n;
const evaluate = (name: string, argument: Literal) =>
  compileExpression(toValue({ [name]: argument }))(variablesOf());

const TABLE: [string, Literal, Literal][] = [
  ['$multiply', [decimal('1E+6144'), decimal('1E+6000')], decimal('Infinity')],
  ['$multiply', [decimal('-1E+6144'), decimal('1E+6000')], decimal('-Infinity')],
  ['$multiply', [decimal('1E-6000'), decimal('1E-6000')], decimal('0E-6176')],
  ['$multiply', [decimal('Infinity'), decimal('0')], decimal('NaN')],
  ['$multiply', [decimal('Infinity'), decimal('1E-400')], decimal('Infinity')],
  ['$multiply', [2147483647, 2, 0], 0],
  ['$multiply', [MAX, 2], double(2 ** 64)],
  ['$add', [decimal('-Infinity'), decimal('1E+6000')], decimal('-Infinity')],
  ['$add', [decimal('Infinity'), decimal('-Infinity')], decimal('NaN')],
  ['$add', [decimal('1'), double(0.5)], decimal('1.500000000000000')],
  ['$add', [MAX, 1, -1], double(2 ** 63)],
  ['$add', [2147483647, 1, -5], 2147483643],
  ['$add', [MAX, 1], double(2 ** 63)],
  ['$add', [double(0.1), double(0.2), double(0.3)], double(0.6000000000000001)],
  ['$sum', [double(0.1), double(0.2), double(0.3)], double(0.6)],
  ['$add', [double(Number.POSITIVE_INFINITY), double(1)], double(Number.POSITIVE_INFINITY)],
  ['$sum', [2147483647, 1, -5], 2147483643],
  ['$sum', [MAX, 1, -10], MAX - 9n],
  ['$sum', [decimal('1'), double(0.5)], decimal('1.5')],
  ['$divide', [1, decimal('1E-400')], decimal('1E+400')],
  ['$divide', [decimal('1'), decimal('3')], decimal('0.3333333333333333333333333333333333')],
  ['$divide', [decimal('1'), decimal('-Infinity')], decimal('-0E-6176')],
  ['$divide', [decimal('10'), decimal('4')], decimal('2.5')],
  ['$toBool', decimal('1E-400'), true],
  ['$not', [decimal('1E-400')], false],
  ['$toDecimal', double(0.1), decimal('0.100000000000000')],
  ['$toDecimal', double(2.5), decimal('2.50000000000000')],
  ['$toDecimal', double(9999999.5), decimal('9999999.50000000')],
  ['$toDecimal', double(0), decimal('0')],
  ['$toLong', decimal('9007199254740993'), 9007199254740993n],
  ['$toLong', decimal('9223372036854775807.9'), MAX],
  ['$toInt', decimal('-1.9'), -1],
  ['$toString', { $add: [double(0.1), double(0.2)] }, '0.3'],
  ['$toString', double(1e20), '1e+20'],
  ['$toString', double(1e-7), '1e-07'],
  ['$toString', double(-0.0001234), '-0.0001234'],
  ['$toString', double(1234567.5), '1234567.5'],
  ['$toString', double(2 ** 52 + 0.5), '4503599627370496'],
  ['$toString', double(100), '100'],
  ['$toString', double(1.7976931348623157e308), '1.797693134862316e+308'],
  ['$toString', double(Number.NEGATIVE_INFINITY), '-Infinity'],
  ['$pow', [3, 35], 50031545098999707n],
  ['$pow', [2, 62], 4611686018427387904n],
  ['$pow', [2, 63], double(2 ** 63)],
  ['$pow', [-2, 63], -(2n ** 63n)],
  ['$pow', [-1, -3], -1],
  ['$pow', [2, -1], double(0.5)],
  ['$pow', [2, 3n], 8n],
  ['$round', [1234567890123456789n, -1], 1234567890123456790n],
  ['$trunc', [1234567890123456789n, -2], 1234567890123456700n],
  ['$round', [2147483647, -1], 2147483650n],
  ['$round', [-15, -1], -20],
  ['$round', [25, -1], 20],
  ['$round', [double(2.675), 2], double(2.67)],
  ['$round', [double(-2.5)], double(-2)],
  ['$abs', -2147483648, 2147483648n],
  ['$abs', decimal('-1.50'), decimal('1.50')],
];

it.each(TABLE)('%s of %j', (name, argument, wanted) => {
  expect(evaluate(name, argument)).toEqual(toValue(wanted));
});

it.each<[string, Literal, number]>([
  ['$pow', [0, -1], 28764],
  ['$abs', -MAX - 1n, 28680],
  ['$divide', [1, decimal('0E-400')], 2],
  ['$toLong', decimal('NaN'), 241],
  ['$toDate', '2021-02-30', 241],
  ['$toDate', '2021-02-28T24:00:00Z', 241],
  ['$toLong', decimal('9223372036854775808'), 241],
  ['$round', [MAX, -1], 51080],
])('%s of %j is refused', (name, argument, code) => {
  expect(() => evaluate(name, argument)).toThrow(
    expect.objectContaining<Partial<MongoError>>({ code }),
  );
});

it('averages of decimals are decimals', () => {
  const { make } = compileAccumulator('a', toDocument({ $avg: '$x' }), variablesOf());
  const average = make();
  for (const n of [1, decimal('2.0')]) average.add(n);
  expect(average.result()).toEqual(decimal('1.5'));
});

it.each<[Literal, Literal, boolean]>([
  [9007199254740993n, [9007199254740994n, 9007199254740993n], true],
  [decimal('9007199254740993'), [2, 1], true],
  [double(1e300), [4, 0], false],
  [double(Number.NaN), [4, 0], false],
  [double(-4.5), [4, 0], true],
  [-4, [4, 0], true],
])('$mod: %j by %j', (a, $mod, matches) => {
  expect(compileFilter(toDocument({ a: { $mod } }))(toDocument({ a }))).toBe(matches);
});

it.each<Literal[]>([[[double(Number.POSITIVE_INFINITY), 0]], [[4, 'x']], [[double(1e300), 0]]])(
  '$mod: %j is malformed, whatever the documents',
  ($mod) => {
    expect(() => compileFilter(toDocument({ a: { $mod } }))).toThrow('malformed mod');
  },
);

it('$bitsAllSet sees all bits of a decimal', () => {
  const matches = compileFilter(toDocument({ a: { $bitsAllSet: [0] } }));
  expect(matches(toDocument({ a: decimal('9007199254740993') }))).toBe(true);
  expect(matches(toDocument({ a: decimal('1.5') }))).toBe(false);
});

describe('decimals', () => {
  const any = fc
    .tuple(
      fc.bigInt({ min: -(10n ** 34n) + 1n, max: 10n ** 34n - 1n }),
      fc.integer({ min: -6176, max: 6111 }),
    )
    .map(([digits, exponent]) => decimalOf(digits, exponent));

  it('come out of additions and multiplications, of whatever they are made', () => {
    fc.assert(
      fc.property(any, any, fc.constantFrom('add', 'multiply', 'subtract'), (a, b, operation) => {
        expect(arithmetic(operation, a, b)).toBeInstanceOf(Decimal128);
        expect(arithmetic('add', a, decimal('0E-6176'))?.toString()).toBeDefined();
      }),
    );
  });

  it('are multiplied by one and divided by themselves as in arithmetic', () => {
    fc.assert(
      fc.property(any, (a) => {
        expect(arithmetic('multiply', a, decimal('1'))).toEqual(a);
        fc.pre(!/^-?[0.]+(E|$)/.test(a.toString())); // zero may have decimals
        expect(evaluate('$divide', [a, a])).toEqual(decimal('1'));
      }),
    );
  });
});
