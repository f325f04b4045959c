import { compareValues } from '../../bson/compare.ts';
import { isDocument, type Value } from '../../bson/values.ts';
import { fail } from '../../errors.ts';
import { type Expression, isNullish, truthy } from '../variables.ts';
import { type Argument, named, type Operator, positional, unary } from './arguments.ts';

/** Compares two values. A missing value comes before all others. */
function compareArguments(a: Argument, b: Argument): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
  return compareValues(a, b);
}

const comparison = (name: string, holds: (order: number) => boolean): [string, Operator] =>
  positional(name, 2, 2, ([a, b]) => holds(compareArguments(a, b)));

/** $and and $or stop at the first argument that decides. */
const connective = (name: string, decisive: boolean): [string, Operator] => [
  name,
  (argument, compile) => {
    const parts = (Array.isArray(argument) ? argument : [argument]).map(compile);
    return (variables) =>
      parts.some((part) => truthy(part(variables)) === decisive) ? decisive : !decisive;
  },
];

const condition: Operator = (argument, compile) => {
  if (Array.isArray(argument)) {
    if (argument.length !== 3) {
      fail(16020, `Expression $cond takes exactly 3 arguments. ${argument.length} were passed in.`);
    }
    return choose(argument.map(compile));
  }
  const [, build] = named('$cond', ['if', 'then', 'else'], ['if', 'then', 'else'], (parts) =>
    choose(['if', 'then', 'else'].map((part) => compile(parts.get(part) as Value))),
  );
  return build(argument, compile);
};

function choose([test, yes, no]: Expression[]): Expression {
  return (variables) => (truthy(test?.(variables)) ? yes?.(variables) : no?.(variables));
}

const ifNull: Operator = (argument, compile) => {
  const parts = (Array.isArray(argument) ? argument : [argument]).map(compile);
  if (parts.length < 2) fail(1257300, '$ifNull needs at least two arguments');
  return (variables) => {
    let value: Value | undefined;
    for (const part of parts) {
      value = part(variables);
      if (!isNullish(value)) return value;
    }
    return value;
  };
};

const choice = named('$switch', ['branches', 'default'], ['branches'], (parts, compile) => {
  const given = parts.get('branches');
  if (!Array.isArray(given)) return fail(40060, '$switch expected an array for branches');
  const branches = given.map((branch) => {
    if (!isDocument(branch)) return fail(40062, '$switch expected each branch to be an object');
    const [when, then] = [branch.get('case'), branch.get('then')];
    if (when === undefined)
      return fail(40064, "$switch requires each branch have a 'case' expression");
    if (then === undefined)
      return fail(40065, "$switch requires each branch have a 'then' expression.");
    return { when: compile(when), result: compile(then) };
  });
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
  positional('$cmp', 2, 2, ([a, b]) => Math.sign(compareArguments(a, b))),
  connective('$and', false),
  connective('$or', true),
  unary('$not', (value) => !truthy(value)),
  ['$cond', condition],
  ['$ifNull', ifNull],
  choice,
];
