/**
 * Chooses the variables that are sent to the child with an expression. `$steps` may have megabytes: when each use of
 * `$steps` names its step, only the named steps are sent.
 */

import type { Value } from '../interpreter/host.ts';
import type { Expression, Template } from '../plan.ts';

/** Returns the variables that the expressions name, and of `$steps` only the steps that they can reach. */
export function namedVariables(
  expressions: readonly Expression[],
  variables: Readonly<Record<string, Value>>,
): Record<string, NonNullable<Value> | null> {
  const named: Record<string, NonNullable<Value> | null> = Object.create(null);
  for (const name of new Set(expressions.flatMap(({ variables: names }) => names))) {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (value !== undefined)
      named[name] = name === 'steps' ? pickReachableSteps(expressions, value) : value;
  }
  return named;
}

function pickReachableSteps(expressions: readonly Expression[], steps: NonNullable<Value> | null) {
  const names = listNamedSteps(expressions);
  if (names === null || typeof steps !== 'object' || steps === null || Array.isArray(steps)) {
    return steps;
  }
  const some: Record<string, NonNullable<Value> | null> = Object.create(null);
  for (const name of names) {
    const step = steps[name];
    if (step !== undefined) some[name] = step;
  }
  return some;
}

const STEP = /\$steps(?:\s*\.\s*(?:([A-Za-z]\w*)|`([^`]+)`))?/g;

/** Lists the named steps. Returns null when a use of `$steps` could reach other steps, as with the parent operator `%`. */
function listNamedSteps(expressions: readonly Expression[]): ReadonlySet<string> | null {
  const names = new Set<string>();
  for (const { source } of expressions) {
    if (!source.includes('$steps')) continue;
    if (source.includes('%')) return null;
    for (const [, plain, quoted] of source.matchAll(STEP)) {
      const name = plain ?? quoted;
      if (name === undefined) return null;
      names.add(name);
    }
  }
  return names;
}

/** Lists all expressions of a template in the order in which they are evaluated. */
export function expressionsOf(template: Template): readonly Expression[] {
  switch (template.kind) {
    case 'literal':
      return [];
    case 'expression':
      return [template.expression];
    case 'text':
      return template.parts.filter((part) => typeof part !== 'string');
    case 'list':
      return template.items.flatMap(expressionsOf);
    case 'body':
      return expressionsOf(template.template);
    case 'map':
      return template.entries.flatMap(([, member]) => expressionsOf(member));
  }
}
