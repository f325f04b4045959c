import { refuseLongPath } from '../bson/path.ts';
import { type Document, isOperators, type Value } from '../bson/values.ts';
import { fail, unsupported } from '../errors.ts';
import { accumulate } from './accumulators.ts';
import { type Operators, type Signature, variadic } from './operators/arguments.ts';
import { ARITHMETIC } from './operators/arithmetic.ts';
import { ARRAYS } from './operators/arrays.ts';
import { CONVERSIONS } from './operators/conversions.ts';
import { DATES } from './operators/dates.ts';
import { LOGIC } from './operators/logic.ts';
import { OBJECTS } from './operators/objects.ts';
import { REGEXES } from './operators/regex.ts';
import { ROUNDING } from './operators/rounding.ts';
import { SETS } from './operators/sets.ts';
import { STRINGS } from './operators/strings.ts';
import { VARIABLES } from './operators/variables.ts';
import type { Expression } from './variables.ts';

/** Accumulators that are expressions too, of one array or of several arguments. */
const FOLDS = ['$sum', '$avg', '$min', '$max', '$stdDevPop', '$stdDevSamp'].map((name) =>
  variadic(name, (args) => accumulate(name, args)),
);

const OPERATORS: Operators = new Map([
  ...FOLDS,
  ...ARITHMETIC,
  ...ARRAYS,
  ...CONVERSIONS,
  ...DATES,
  ...LOGIC,
  ...OBJECTS,
  ...REGEXES,
  ...ROUNDING,
  ...SETS,
  ...STRINGS,
  ...VARIABLES,
]);

export const EXPRESSIONS: readonly string[] = [...OPERATORS.keys()];

/** Returns the signature of an operator, undefined for one without optional or named arguments. */
export const signatureOf = (name: string): Signature | undefined => OPERATORS.get(name)?.signature;

/** The operators of MongoDB 7 that this engine does not support. Other unknown names are misspelt operators. */
const LEFT_OUT =
  /^\$(accumulator|function|meta|sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|asinh|acosh|atanh|degreesToRadians|radiansToDegrees|dateFromParts|dateFromString|dateToParts|log|isoWeek|isoWeekYear|isoDayOfWeek|week|toHashedIndexKey|bsonSize|binarySize|tsSecond|tsIncrement|sampleRate|bitAnd|bitOr|bitXor|bitNot|percentile|median)$/;

const LEFT_OUT_VARIABLES = /^(CLUSTER_TIME|SEARCH_META|USER_ROLES)$/;

/** Compiles an aggregation expression. Throws for a value that is no expression. */
export function compileExpression(expression: Value): Expression {
  if (typeof expression === 'string') return compileString(expression);
  if (Array.isArray(expression)) {
    const elements = expression.map(compileExpression);
    return (variables) => elements.map((element) => element(variables) ?? null);
  }
  if (!(expression instanceof Map)) return () => expression;
  const document: Document = expression;
  if (isOperators(document)) return compileOperator(document);
  const fields = [...expression].map(([name, value]) => ({
    name: plainName(name),
    value: compileExpression(value),
  }));
  return (variables) => {
    const made: Document = new Map();
    for (const { name, value } of fields) {
      const result = value(variables);
      if (result !== undefined) made.set(name, result);
    }
    return made;
  };
}

function plainName(name: string): string {
  if (name.includes('.')) {
    fail(
      16405,
      `FieldPath field names may not contain '.'. Consider using $getField or $setField.`,
    );
  }
  if (name.startsWith('$')) fail('InvalidPipelineOperator', `Unrecognized expression '${name}'`);
  return name;
}

function compileOperator(expression: Map<string, Value>): Expression {
  if (expression.size !== 1) {
    fail(
      15983,
      `An object representing an expression must have exactly one field: ${[...expression.keys()]}`,
    );
  }
  const [[name, argument] = ['', null]] = expression;
  if (LEFT_OUT.test(name)) unsupported(`The expression ${name}`);
  const operator = OPERATORS.get(name);
  if (!operator) return fail('InvalidPipelineOperator', `Unrecognized expression '${name}'`);
  return operator.build(argument, compileExpression);
}

function compileString(text: string): Expression {
  if (!text.startsWith('$')) return () => text;
  if (!text.startsWith('$$')) {
    const path = fieldPath(text.slice(1));
    return (variables) => follow(variables.get('CURRENT'), path, 0);
  }
  const [name = '', ...path] = text.slice(2).split('.');
  refuseLongPath(path);
  if (name === '') fail('FailedToParse', 'empty variable names are not allowed');
  if (LEFT_OUT_VARIABLES.test(name)) unsupported(`The variable ${name}`);
  return (variables) => follow(variables.get(name), path, 0);
}

export function fieldPath(dotted: string): string[] {
  const path = dotted.split('.');
  refuseLongPath(path);
  if (dotted === '') fail(16872, `'$' by itself is not a valid FieldPath`);
  if (path.includes('')) fail(15998, 'FieldPath field names may not be empty strings.');
  if (path.some((part) => part.startsWith('$'))) {
    fail(
      16410,
      "FieldPath field names may not start with '$'. Consider using $getField or $setField.",
    );
  }
  return path;
}

/** Returns the value at a path. An array on the path is replaced by the array of its documents' values; indexes are names. */
function follow(value: Value | undefined, path: readonly string[], at: number): Value | undefined {
  let reached = value;
  for (let i = at; i < path.length; i++) {
    if (reached instanceof Map) reached = reached.get(path[i] as string);
    else if (Array.isArray(reached)) {
      const found: Value[] = [];
      for (const element of reached) {
        const inner = element instanceof Map ? follow(element, path, i) : undefined;
        if (inner !== undefined) found.push(inner);
      }
      return found;
    } else return undefined;
  }
  return reached;
}
