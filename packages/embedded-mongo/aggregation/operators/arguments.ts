import { isDocument, typeName, type Value } from '../../bson/values.ts';
import { fail } from '../../errors.ts';
import type { Expression, Variables } from '../variables.ts';

export type Compile = (expression: Value) => Expression;
/** Compiles an operator's argument to an expression. */
export type Operator = (argument: Value, compile: Compile) => Expression;
export type Operators = ReadonlyMap<string, Operator>;

export type Argument = Value | undefined;

/** Makes an operator of `least` to `most` evaluated arguments: `{$op: [a, b]}` or `{$op: a}`. */
export function positional(
  name: string,
  least: number,
  most: number,
  apply: (args: Argument[], variables: Variables) => Value | undefined,
): [string, Operator] {
  return [
    name,
    (argument, compile) => {
      const given = Array.isArray(argument) ? argument : [argument];
      if (given.length < least || given.length > most) {
        const wanted =
          least === most ? `exactly ${least}` : `at least ${least} and at most ${most}`;
        fail(
          16020,
          `Expression ${name} takes ${wanted} arguments. ${given.length} were passed in.`,
        );
      }
      const expressions = given.map(compile);
      return (variables) =>
        apply(
          expressions.map((expression) => expression(variables)),
          variables,
        );
    },
  ];
}

export const unary = (
  name: string,
  apply: (value: Argument, variables: Variables) => Value | undefined,
): [string, Operator] => positional(name, 1, 1, ([value], variables) => apply(value, variables));

/** Makes an operator of named arguments: `{$op: {input: a, by: b}}`. The `required` arguments must be given. */
export function named(
  name: string,
  allowed: readonly string[],
  required: readonly string[],
  build: (parts: ReadonlyMap<string, Value>, compile: Compile) => Expression,
): [string, Operator] {
  return [
    name,
    (argument, compile) => {
      if (!isDocument(argument)) {
        return fail('FailedToParse', `${name} only supports an object as its argument`);
      }
      for (const part of argument.keys()) {
        if (!allowed.includes(part))
          fail('FailedToParse', `${name} found an unknown argument: ${part}`);
      }
      for (const part of required) {
        if (!argument.has(part)) fail('FailedToParse', `Missing '${part}' parameter to ${name}`);
      }
      return build(argument, compile);
    },
  ];
}

/** Makes an operator of named arguments that are all evaluated before `apply` is called. */
export function evaluated(
  name: string,
  allowed: readonly string[],
  required: readonly string[],
  apply: (get: (part: string) => Argument, variables: Variables) => Value | undefined,
): [string, Operator] {
  return named(name, allowed, required, (parts, compile) => {
    const expressions = new Map([...parts].map(([part, value]) => [part, compile(value)]));
    return (variables) => apply((part) => expressions.get(part)?.(variables), variables);
  });
}

export const wrongType = (name: string, wanted: string, value: Argument, code: number): never =>
  fail(code, `${name} requires ${wanted}, found: ${typeName(value)}`);

/** Makes a date from milliseconds. Throws for dates that BSON has and JavaScript does not have. */
export function dateAt(time: number): Date {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? fail('Overflow', 'date overflow') : date;
}
