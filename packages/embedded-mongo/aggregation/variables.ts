import { isNumeric, isZero } from '../bson/numbers.ts';
import { type Document, isDocument, UNDEFINED, type Value } from '../bson/values.ts';
import { fail } from '../errors.ts';

/** A compiled expression. It returns its value for one document, or undefined for a missing value. */
export type Expression = (variables: Variables) => Value | undefined;

/** The variables of an expression: the document, $$NOW and the variables of `let` and of operators. */
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

/** Evaluates the variables of a command's `let`. These expressions cannot read each other. */
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

/** Refuses a name that no variable of a user may have. CURRENT is the only one with a capital at the beginning. */
export function checkVariableName(name: string): void {
  if (name === '') fail('FailedToParse', 'empty variable names are not allowed');
  if (name === 'CURRENT') return;
  if (!/^[a-z\u0080-\uffff]/.test(name)) {
    fail('FailedToParse', `'${name}' starts with an invalid character for a user variable name`);
  }
  const invalid = /[^A-Za-z0-9_\u0080-\uffff]/.exec(name);
  if (invalid) {
    fail(
      'FailedToParse',
      `'${name}' contains an invalid character for a variable name: '${invalid[0]}'`,
    );
  }
}

/** Compiles the definitions of variables to a function that evaluates them. */
export function compileNames(
  definitions: Document,
  compile: (expression: Value) => Expression,
): (variables: Variables) => [string, Value | undefined][] {
  const compiled = [...definitions].map(([name, value]) => {
    checkVariableName(name);
    return { name, value: compile(value) };
  });
  return (variables) => compiled.map(({ name, value }) => [name, value(variables)]);
}

/** Tells whether a value counts as true. False, null, undefined, a missing value and every zero count as false. */
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
