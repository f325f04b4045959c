import { compareValues } from '../../bson/compare.ts';
import { isDocument, typeName, type Value } from '../../bson/values.ts';
import { fail } from '../../errors.ts';
import { type Expression, isNullish, truthy } from '../variables.ts';
import { type Argument, type Compile, fixed, named, type Operator, unary } from './arguments.ts';

/** Compares two values. A missing value comes before all others. */
function compareArguments(a: Argument, b: Argument): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
  return compareValues(a, b);
}

const comparison = (name: string, holds: (order: number) => boolean): [string, Operator] =>
  fixed(name, 2, ([a, b]) => holds(compareArguments(a, b)));

/** $and and $or stop at the first argument that decides. */
const connective = (name: string, decisive: boolean): [string, Operator] => [
  name,
  {
    build(argument, compile) {
      const parts = (Array.isArray(argument) ? argument : [argument]).map(compile);
      return (variables) =>
        parts.some((part) => truthy(part(variables)) === decisive) ? decisive : !decisive;
    },
  },
];

const [, conditionOfParts] = named(
  '$cond',
  {
    object: 16020,
    unknown: 17083,
    // biome-ignore lint/suspicious/noThenProperty: that is MongoDB's own name for it
    required: { if: 17080, then: 17081, else: 17082 },
    optional: {},
  },
  (parts, compile) =>
    choose(['if', 'then', 'else'].map((part) => compile(parts.get(part) as Value))),
);

const condition: Operator['build'] = (argument, compile) => {
  if (isDocument(argument)) return conditionOfParts.build(argument, compile);
  const given = Array.isArray(argument) ? argument : [argument];
  if (given.length !== 3)
    fail(16020, `Expression $cond takes exactly 3 arguments. ${given.length} were passed in.`);
  return choose(given.map(compile));
};

function choose([test, yes, no]: Expression[]): Expression {
  return (variables) => (truthy(test?.(variables)) ? yes?.(variables) : no?.(variables));
}

const ifNull: Operator['build'] = (argument, compile) => {
  const parts = (Array.isArray(argument) ? argument : [argument]).map(compile);
  if (parts.length < 2) fail(1257300, `$ifNull needs at least two arguments, had: ${parts.length}`);
  return (variables) => {
    let value: Value | undefined;
    for (const part of parts) {
      value = part(variables);
      if (!isNullish(value)) return value;
    }
    return value;
  };
};

function branchOf(branch: Value, compile: Compile): { when: Expression; result: Expression } {
  if (!isDocument(branch)) {
    return fail(40062, `$switch expected each branch to be an object, found: ${typeName(branch)}`);
  }
  for (const part of branch.keys()) {
    if (part !== 'case' && part !== 'then')
      fail(40063, `$switch found an unknown argument to a branch: ${part}`);
  }
  const [when, then] = [branch.get('case'), branch.get('then')];
  if (when === undefined)
    return fail(40064, "$switch requires each branch have a 'case' expression");
  if (then === undefined)
    return fail(40065, "$switch requires each branch have a 'then' expression.");
  return { when: compile(when), result: compile(then) };
}

const CHOICE = {
  object: 40060,
  unknown: 40067,
  required: { branches: 40068 },
  optional: { default: 'value' },
} as const;

const choice = named('$switch', CHOICE, (parts, compile) => {
  const given = parts.get('branches');
  if (!Array.isArray(given)) {
    return fail(40061, `$switch expected an array for 'branches', found: ${typeName(given)}`);
  }
  const branches = given.map((branch) => branchOf(branch, compile));
  if (branches.length === 0) fail(40068, '$switch requires at least one branch.');
  const otherwise = parts.has('default') ? compile(parts.get('default') as Value) : undefined;
  return (variables) => {
    const branch = branches.find(({ when }) => truthy(when(variables)));
    if (branch) return branch.result(variables);
    if (otherwise) return otherwise(variables);
    return fail(
      40066,
      '$switch could not find a matching branch for an input, and no default was specified.',
    );
  };
});

export const LOGIC: [string, Operator][] = [
  comparison('$eq', (order) => order === 0),
  comparison('$ne', (order) => order !== 0),
  comparison('$gt', (order) => order > 0),
  comparison('$gte', (order) => order >= 0),
  comparison('$lt', (order) => order < 0),
  comparison('$lte', (order) => order <= 0),
  fixed('$cmp', 2, ([a, b]) => Math.sign(compareArguments(a, b))),
  connective('$and', false),
  connective('$or', true),
  unary('$not', (value) => !truthy(value)),
  ['$cond', { build: condition, signature: conditionOfParts.signature }],
  ['$ifNull', { build: ifNull }],
  choice,
];
