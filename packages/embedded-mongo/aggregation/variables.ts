import { isNumeric, isZero } from '../bson/numbers.ts';
import { type Document, isDocument, UNDEFINED, type Value } from '../bson/values.ts';
import { fail } from '../errors.ts';

/** A compiled expression: its value for one document, or undefined where it is missing. */
export type Expression = (variables: Variables) => Value | undefined;

/** What an expression sees: the document, $$NOW and the variables of `let` and of the operators. */
export class Variables {
  readonly root: Value | undefined;
  readonly now: Date;
  private readonly names: ReadonlyMap<string, Value | undefined>;

  constructor(root: Value | undefined, now: Date, names: ReadonlyMap<string, Value | undefined>) {
    this.root = root;
    this.now = now;
    this.names = names;
  }

  withRoot(root: Value | undefined): Variables {
    return new Variables(root, this.now, this.names);
  }

  with(names: Iterable<readonly [string, Value | undefined]>): Variables {
    return new Variables(this.root, this.now, new Map([...this.names, ...names]));
  }

  get(name: string): Value | undefined {
    switch (name) {
      case 'ROOT':
        return this.root;
      case 'CURRENT':
        return this.names.has('CURRENT') ? this.names.get('CURRENT') : this.root;
      case 'NOW':
        return this.now;
      case 'REMOVE':
        return undefined;
    }
    if (!this.names.has(name)) fail(17276, `Use of undefined variable: ${name}`);
    return this.names.get(name);
  }
}

const NO_NAMES: ReadonlyMap<string, Value | undefined> = new Map();

export const variablesOf = (now = new Date()): Variables => new Variables(undefined, now, NO_NAMES);

/** The variables of a command's `let`, which are expressions over each other's absence. */
export function letVariables(
  definitions: Value | undefined,
  compile: (expression: Value) => Expression,
): Variables {
  const base = variablesOf();
  if (!isDocument(definitions)) return base;
  return base.with(namedValues(definitions, compile, base));
}

export function namedValues(
  definitions: Document,
  compile: (expression: Value) => Expression,
  variables: Variables,
): [string, Value | undefined][] {
  return compileNames(definitions, compile)(variables);
}

/** The values of several names, for whatever variables there are when they are asked for. */
export function compileNames(
  definitions: Document,
  compile: (expression: Value) => Expression,
): (variables: Variables) => [string, Value | undefined][] {
  const compiled = [...definitions].map(([name, value]) => ({ name, value: compile(value) }));
  return (variables) => compiled.map(({ name, value }) => [name, value(variables)]);
}

/** False are: false, null, undefined, missing and every zero. */
export const truthy = (value: Value | undefined): boolean =>
  !(
    value === false ||
    value === null ||
    value === undefined ||
    value === UNDEFINED ||
    (isNumeric(value) && isZero(value))
  );

export const isNullish = (value: Value | undefined): value is null | undefined =>
  value === null || value === undefined || value === UNDEFINED;
