import { isDocument, typeName, type Value } from '../../bson/values.ts';
import { type CodeName, fail } from '../../errors.ts';
import { type Expression, isNullish, type Variables } from '../variables.ts';

export type Compile = (expression: Value) => Expression;

/** Compiles an operator's argument to an expression. Operators without optional arguments may lack a signature. */
export interface Operator {
  build(argument: Value, compile: Compile): Expression;
  readonly signature?: Signature;
}
export type Operators = ReadonlyMap<string, Operator>;

export type Argument = Value | undefined;

/**
 * What an optional argument does that is given, but null or missing: the result is null (`null`), the argument counts as
 * omitted (`default`), it is a value like any other (`value`), or it is refused (`error`).
 */
export type WhenNullish = 'null' | 'default' | 'value' | 'error';

type Code = CodeName | number;

/** The arguments of `{$op: {input: a, by: b}}`, and the codes of MongoDB's refusals. */
export interface NamedSignature {
  /** The code for an argument that is no object. */
  readonly object: Code;
  /** The code for an argument of an unknown name. */
  readonly unknown: Code;
  /** The required arguments, each with the code for its absence. */
  readonly required: Readonly<Record<string, Code>>;
  readonly optional: Readonly<Record<string, WhenNullish>>;
}

/** The arguments of `{$op: [a, b]}`: a number of required ones, then the optional ones. */
interface PositionalSignature {
  readonly required: number;
  readonly optional: readonly WhenNullish[];
}

export type Signature = NamedSignature | PositionalSignature;

/** Evaluates an operator's named arguments, each when it is asked for. */
export interface Arguments {
  /** Returns an argument. Undefined is a missing value, or an optional argument that was omitted. */
  get(part: string): Argument;
  /** Tells whether an argument was given. */
  has(part: string): boolean;
}

const listOf = (argument: Value): Value[] => (Array.isArray(argument) ? argument : [argument]);

/** Makes an operator of any number of evaluated arguments. */
export function variadic(
  name: string,
  apply: (args: Argument[], variables: Variables) => Argument,
): [string, Operator] {
  const build: Operator['build'] = (argument, compile) => {
    const expressions = listOf(argument).map(compile);
    return (variables) =>
      apply(
        expressions.map((expression) => expression(variables)),
        variables,
      );
  };
  return [name, { build }];
}

/** Makes an operator of a fixed number of evaluated arguments: `{$op: [a, b]}` or `{$op: a}`. */
export function fixed(
  name: string,
  count: number,
  apply: (args: Argument[], variables: Variables) => Argument,
): [string, Operator] {
  const [, every] = variadic(name, apply);
  const build: Operator['build'] = (argument, compile) => {
    const given = listOf(argument).length;
    if (given !== count) {
      fail(16020, `Expression ${name} takes exactly ${count} arguments. ${given} were passed in.`);
    }
    return every.build(argument, compile);
  };
  return [name, { build }];
}

export const unary = (
  name: string,
  apply: (value: Argument, variables: Variables) => Argument,
): [string, Operator] => fixed(name, 1, ([value], variables) => apply(value, variables));

/**
 * Makes an operator with optional arguments at the end. Undefined is an optional argument that was omitted; one that was
 * given and is missing is null.
 */
export function ranged(
  name: string,
  required: number,
  optional: readonly WhenNullish[],
  apply: (args: Argument[], variables: Variables) => Argument,
): [string, Operator] {
  const most = required + optional.length;
  const build: Operator['build'] = (argument, compile) => {
    const expressions = listOf(argument).map((given, i) => {
      const expression = compile(given);
      return i < required ? expression : present(expression, optional[i - required] ?? 'error');
    });
    const given = expressions.length;
    if (given < required || given > most) {
      fail(
        28667,
        `Expression ${name} takes at least ${required} arguments, and at most ${most}, but ${given} were passed in.`,
      );
    }
    return (variables) =>
      apply(
        expressions.map((expression) => expression(variables)),
        variables,
      );
  };
  return [name, { build, signature: { required, optional } }];
}

/** Makes the expression of an optional argument that is given. */
function present(expression: Expression, nullish: WhenNullish): Expression {
  if (nullish === 'value') return expression;
  if (nullish !== 'default') return (variables) => expression(variables) ?? null;
  return (variables) => {
    const value = expression(variables);
    return isNullish(value) ? undefined : value;
  };
}

/** Makes an operator of named arguments: `{$op: {input: a, by: b}}`. */
export function named(
  name: string,
  signature: NamedSignature,
  build: (parts: ReadonlyMap<string, Value>, compile: Compile) => Expression,
): [string, Operator] {
  const { object, unknown, required, optional } = signature;
  const checked: Operator['build'] = (argument, compile) => {
    if (!isDocument(argument)) {
      return fail(
        object,
        `${name} only supports an object as its argument, found: ${typeName(argument)}`,
      );
    }
    for (const part of argument.keys()) {
      if (!Object.hasOwn(required, part) && !Object.hasOwn(optional, part))
        fail(unknown, `${name} found an unknown argument: ${part}`);
    }
    for (const [part, code] of Object.entries(required)) {
      if (!argument.has(part)) fail(code, `Missing '${part}' parameter to ${name}`);
    }
    return build(argument, compile);
  };
  return [name, { build: checked, signature }];
}

/** Makes an operator of named arguments that are evaluated when `apply` asks for them. */
export function evaluated(
  name: string,
  signature: NamedSignature,
  apply: (args: Arguments, variables: Variables) => Argument,
): [string, Operator] {
  return named(name, signature, (parts, compile) => {
    const expressions = new Map(
      [...parts].map(([part, value]) => {
        const nullish = signature.optional[part];
        const expression = compile(value);
        return [part, nullish ? present(expression, nullish) : expression];
      }),
    );
    const has = (part: string): boolean => expressions.has(part);
    return (variables) =>
      apply({ get: (part) => expressions.get(part)?.(variables), has }, variables);
  });
}

export const wrongType = (name: string, wanted: string, value: Argument, code: number): never =>
  fail(code, `${name} requires ${wanted}, found: ${typeName(value)}`);

export const text = (name: string, value: Argument, code: number): string =>
  typeof value === 'string' ? value : wrongType(name, 'a string', value, code);

/** Makes a date from milliseconds. Throws for dates that BSON has and JavaScript does not have. */
export function dateAt(time: number): Date {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? fail('Overflow', 'date overflow') : date;
}

/** Bytes that one value of a pipeline may have, as in MongoDB. */
export const MAX_VALUE_BYTES = 104_857_600;
/** Bytes of an element of an array, about what it takes in memory. */
const ELEMENT_BYTES = 16;

/** Throws before a value is made that is too large, since a process without memory ends all commands. */
export function checkBytes(bytes: number): void {
  if (bytes > MAX_VALUE_BYTES)
    fail(
      'ExceededMemoryLimit',
      `A value of an expression would use too much memory. Memory limit: ${MAX_VALUE_BYTES} bytes`,
    );
}

/** The same for an array of so many elements. */
export const checkElements = (count: number): void => checkBytes(count * ELEMENT_BYTES);
