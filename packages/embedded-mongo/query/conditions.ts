import { truthy } from '../aggregation/variables.ts';
import { isNumeric } from '../bson/numbers.ts';
import { type Document, isCondition, isDocument, type Value } from '../bson/values.ts';

/** A condition on one path. `$ne`, `$nin`, `$not` and `$nor` are negated conditions. */
export interface Condition {
  path: string;
  operator: string;
  argument: Value;
  isNegated: boolean;
}

/** Returns the conditions that must all hold; undefined for a filter that is no conjunction of conditions on one path. */
export function conditionsOf(filter: Document): Condition[] | undefined {
  const found: Condition[] = [];
  return collect(filter, false, found) ? found : undefined;
}

/** Adds the conditions of a filter. Each of these functions returns false for what is no condition on one path. */
function collect(filter: Document, isNegated: boolean, found: Condition[]): boolean {
  if (isNegated && filter.size > 1) return false;
  for (const [name, value] of filter) {
    const isAdded = name.startsWith('$')
      ? name === '$comment' || combined(name, value, isNegated, found)
      : fieldConditions(name, value, isNegated, found);
    if (!isAdded) return false;
  }
  return true;
}

function combined(name: string, value: Value, isNegated: boolean, found: Condition[]): boolean {
  if (name === '$expr') return !isNegated && expressionConditions(value, found);
  const parts = Array.isArray(value) ? value.filter(isDocument) : [];
  const isEach = isNegated ? name === '$or' : name === '$and' || name === '$nor';
  if (isEach || (parts.length === 1 && ['$and', '$or'].includes(name)))
    return parts.every((part) => collect(part, isNegated || name === '$nor', found));
  return name === '$or' && alternatives(parts, found);
}

const EQUALITIES = ['$eq', '$in'];
const OTHERS = ['$gt', '$gte', '$lt', '$lte', '$type', '$mod', '$regex'];

/** An $or of conditions on one path finds what any of them finds. Equalities are one $in. */
function alternatives(parts: readonly Document[], found: Condition[]): boolean {
  const all: Condition[] = [];
  for (const part of parts) {
    const before = all.length;
    if (!collect(part, false, all) || all.length !== before + 1) return false;
  }
  const path = all[0]?.path;
  if (path === undefined || all.some((one) => one.isNegated || one.path !== path)) return false;
  if (all.every(({ operator }) => EQUALITIES.includes(operator))) {
    const argument = all.flatMap((one): Value[] =>
      one.operator === '$in' && Array.isArray(one.argument) ? one.argument : [one.argument],
    );
    found.push({ path, operator: '$in', argument, isNegated: false });
    return true;
  }
  for (const one of all) found.push(one);
  return all.every(({ operator }) => EQUALITIES.includes(operator) || OTHERS.includes(operator));
}

/** MongoDB makes a condition of an equality of a field and a constant, and of no other expression. */
function expressionConditions(expression: Value, found: Condition[]): boolean {
  if (typeof expression === 'boolean' || isNumeric(expression)) return truthy(expression);
  const pair = isDocument(expression) && expression.size === 1 ? expression.get('$eq') : undefined;
  const [field, argument = null] = Array.isArray(pair) && pair.length === 2 ? pair : [];
  if (typeof field !== 'string' || !/^\$[^$]/.test(field)) return false;
  if (typeof argument !== 'boolean' && !isNumeric(argument)) return false;
  found.push({ path: field.slice(1), operator: '$eq', argument, isNegated: false });
  return true;
}

function fieldConditions(
  path: string,
  condition: Value,
  isNegated: boolean,
  found: Condition[],
): boolean {
  if (!isCondition(condition)) {
    found.push({ path, operator: '$eq', argument: condition, isNegated });
    return true;
  }
  if (isNegated && condition.size > 1) return false;
  for (const [operator, argument] of condition)
    if (!fieldCondition({ path, operator, argument, isNegated }, found)) return false;
  return true;
}

/** The operators that negate another one. */
const NEGATIONS: ReadonlyMap<string, string> = new Map([
  ['$ne', '$eq'],
  ['$nin', '$in'],
]);

function fieldCondition(condition: Condition, found: Condition[]): boolean {
  const { path, operator, argument, isNegated } = condition;
  const negated = NEGATIONS.get(operator);
  if (operator === '$options') return true;
  if (negated || operator === '$not') {
    if (isNegated) return false;
    if (!negated) return isCondition(argument) && fieldConditions(path, argument, true, found);
    found.push({ path, operator: negated, argument, isNegated: true });
  } else if (operator === '$all' && Array.isArray(argument)) {
    if (argument.length === 0 || (isNegated && argument.length > 1)) return false;
    return argument.every((one) => fieldConditions(path, one, isNegated, found));
  } else found.push(condition);
  return true;
}
