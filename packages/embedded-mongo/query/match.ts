import { compileExpression } from '../aggregation/expression.ts';
import { truthy, type Variables, variablesOf } from '../aggregation/variables.ts';
import { numberOf } from '../bson/numbers.ts';
import { type Path, pathOf, visitPath } from '../bson/path.ts';
import {
  type Document,
  isCondition,
  isDocument,
  Regex,
  typeName,
  UNDEFINED,
  type Value,
} from '../bson/values.ts';
import { fail, unsupported } from '../errors.ts';
import { equalTo, inTest, regexTest, type ValueTest, valueOperator } from './operators.ts';

/** Tells whether a document matches (or, in $elemMatch, an element of an array). */
export type Predicate = (document: Value) => boolean;

/** A condition on the values at one path. `any` tells whether any of these values passes a test. */
type FieldTest = (any: (test: ValueTest, whole?: boolean) => boolean) => boolean;

const UNSUPPORTED: Record<string, string | undefined> = {
  $where: 'NotImplemented',
  $text: 'IndexNotFound',
  $near: 'NoQueryExecutionPlans',
  $nearSphere: 'NoQueryExecutionPlans',
  $geoNear: 'NoQueryExecutionPlans',
  $geoWithin: 'NotImplemented',
  $geoIntersects: 'NotImplemented',
  $within: 'NotImplemented',
  $jsonSchema: 'NotImplemented',
  $sampleRate: 'NotImplemented',
};

export function compileFilter(
  filter: Document | undefined,
  variables: Variables = variablesOf(),
): Predicate {
  return filter === undefined ? () => true : compile(filter, variables);
}

function compile(filter: Document, variables: Variables): Predicate {
  const tests: Predicate[] = [];
  for (const [name, condition] of filter) {
    const test = name.startsWith('$')
      ? topLevel(name, condition, variables)
      : field(pathOf(name), condition, variables);
    if (test) tests.push(test);
  }
  const [first] = tests;
  if (tests.length === 1 && first) return first;
  return (document) => tests.every((test) => test(document));
}

function topLevel(name: string, argument: Value, variables: Variables): Predicate | undefined {
  switch (name) {
    case '$and':
    case '$or':
    case '$nor': {
      const clauses = clausesOf(name, argument).map((clause) => compile(clause, variables));
      if (name === '$and') return (document) => clauses.every((clause) => clause(document));
      if (name === '$or') return (document) => clauses.some((clause) => clause(document));
      return (document) => !clauses.some((clause) => clause(document));
    }
    case '$expr': {
      const expression = compileExpression(argument);
      return (document) => truthy(expression(variables.withRoot(document)));
    }
    case '$ref':
    case '$id':
    case '$db':
      return field([name], argument, variables);
    case '$comment':
      return undefined;
    case '$alwaysTrue':
    case '$alwaysFalse':
      if (numberOf(argument) !== 1) fail('FailedToParse', `${name} must be an integer value of 1`);
      return () => name === '$alwaysTrue';
  }
  refuseUnsupported(name);
  return fail(
    'BadValue',
    `unknown top level operator: ${name}. If you have a field name that starts with a '$' symbol, consider using $getField or $setField.`,
  );
}

function clausesOf(name: string, argument: Value): Document[] {
  if (!Array.isArray(argument)) return fail('BadValue', `${name} must be an array`);
  if (argument.length === 0) fail('BadValue', '$and/$or/$nor must be a nonempty array');
  return argument.map((clause) =>
    isDocument(clause) ? clause : fail('BadValue', '$or/$and/$nor entries need to be full objects'),
  );
}

function refuseUnsupported(name: string): void {
  if (Object.hasOwn(UNSUPPORTED, name)) {
    unsupported(`The query operator ${name}`, UNSUPPORTED[name] as 'NotImplemented');
  }
}

function field(path: Path, condition: Value, variables: Variables): Predicate {
  const tests = fieldTests(condition, variables);
  return (document) => {
    const any = (test: ValueTest, whole = false): boolean =>
      visitPath(
        document,
        path,
        (value, indexed = false) =>
          test(value) || (!whole && !indexed && Array.isArray(value) && value.some((v) => test(v))),
      );
    for (const test of tests) if (!test(any)) return false;
    return true;
  };
}

function fieldTests(condition: Value, variables: Variables): FieldTest[] {
  if (!isCondition(condition)) {
    const test = equalTo(condition);
    return [(any) => any(test)];
  }
  const tests: FieldTest[] = [];
  for (const [name, argument] of condition) {
    const test = fieldOperator(name, argument, condition, variables);
    if (test) tests.push(test);
  }
  return tests;
}

function fieldOperator(
  name: string,
  argument: Value,
  beside: Document,
  variables: Variables,
): FieldTest | undefined {
  switch (name) {
    case '$ne': {
      if (argument instanceof Regex) fail('BadValue', "Can't have regex as arg to $ne.");
      const test = equalTo(argument);
      return (any) => !any(test);
    }
    case '$nin': {
      const test = inTest(argument);
      return (any) => !any(test);
    }
    case '$not':
      return negation(argument, variables);
    case '$exists': {
      const wanted = truthy(argument);
      return (any) => any((value) => value !== undefined && value !== UNDEFINED) === wanted;
    }
    case '$all':
      return allTest(argument, variables);
    case '$elemMatch': {
      const test = elemMatch(argument, variables);
      return (any) => any(test, true);
    }
    case '$size': {
      const test = valueOperator(name, argument, beside);
      return (any) => any(test, true);
    }
    case '$options':
      if (!beside.has('$regex')) fail('BadValue', '$options needs a $regex');
      return undefined;
    case '$comment':
      return undefined;
  }
  refuseUnsupported(name);
  const test = valueOperator(name, argument, beside);
  return (any) => any(test);
}

function negation(argument: Value, variables: Variables): FieldTest {
  if (argument instanceof Regex) {
    const test = regexTest(argument);
    return (any) => !any(test);
  }
  if (!isDocument(argument)) return fail('BadValue', '$not needs a regex or a document');
  if (!isCondition(argument))
    fail('BadValue', '$not argument must be a non-empty object of operators');
  const tests = fieldTests(argument, variables);
  return (any) => !tests.every((test) => test(any));
}

function allTest(argument: Value, variables: Variables): FieldTest {
  if (!Array.isArray(argument)) return fail('BadValue', '$all needs an array');
  if (argument.length === 0) return () => false;
  const elements = argument.filter((wanted) => isDocument(wanted) && wanted.has('$elemMatch'));
  if (elements.length > 0 && elements.length < argument.length)
    fail('BadValue', '$all/$elemMatch has to be consistent');
  const tests = argument.map((wanted): FieldTest => {
    if (isDocument(wanted) && wanted.has('$elemMatch')) {
      const test = elemMatch(wanted.get('$elemMatch') as Value, variables);
      return (any) => any(test, true);
    }
    if (isCondition(wanted)) fail('BadValue', 'no $ expressions in $all');
    const test = equalTo(wanted);
    return (any) => any(test);
  });
  return (any) => tests.every((test) => test(any));
}

const LOGICAL = new Set(['$and', '$or', '$nor', '$expr', '$where']);

/** Makes an $elemMatch: {$gt: 1} tests each element itself, {a: 1} each element that is a document. */
export function elemMatch(argument: Value, variables: Variables = variablesOf()): ValueTest {
  if (!isDocument(argument)) return fail('BadValue', `$elemMatch needs an Object`);
  const [first = ''] = argument.keys();
  if (isCondition(argument) && !LOGICAL.has(first)) {
    const tests = fieldTests(argument, variables);
    const matches = (element: Value): boolean => tests.every((test) => test((ask) => ask(element)));
    return (value) => Array.isArray(value) && value.some(matches);
  }
  const matches = compile(argument, variables);
  return (value) =>
    Array.isArray(value) &&
    value.some((element) => {
      if (isDocument(element)) return matches(element);
      return Array.isArray(element) && matches(numbered(element));
    });
}

/** Converts an array to a document of fields "0", "1" and so on, as $elemMatch treats an inner array. */
const numbered = (array: readonly Value[]): Document =>
  new Map(array.map((element, i) => [String(i), element]));

/** Returns the filter of a command. Throws for a value that is no object. */
export function filterOf(value: Value | undefined, name = 'filter'): Document {
  if (value === undefined || value === null) return new Map();
  if (isDocument(value)) return value;
  return fail(
    'TypeMismatch',
    `BSON field '${name}' is the wrong type '${typeName(value)}', expected type 'object'`,
  );
}
