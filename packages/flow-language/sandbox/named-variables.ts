/**
 * Which variables go to the child with an expression. `$steps` can hold megabytes, so where all
 * its uses name the step, only those steps go.
 */

import type { Value } from '../interpreter/host.ts';
import type { Expression, Template } from '../plan.ts';

/** The variables that the expressions name, with of `$steps` only what they can reach. */
export function namedVariables(
  expressions: readonly Expression[],
  variables: Readonly<Record<string, Value>>,
): Record<string, NonNullable<Value> | null> {
  const named: Record<string, NonNullable<Value> | null> = Object.create(null);
  for (const name of new Set(expressions.flatMap(({ variables: names }) => names))) {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (value !== undefined) named[name] = name === 'steps' ? reachable(expressions, value) : value;
  }
  return named;
}

function reachable(expressions: readonly Expression[], steps: NonNullable<Value> | null) {
  const names = stepsNamedIn(expressions);
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

/** Null when any use of `$steps` could reach a step that it doesn't name; `%` climbs back up. */
function stepsNamedIn(expressions: readonly Expression[]): ReadonlySet<string> | null {
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

/** All expressions of a template, in the order they are evaluated. */
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
    case 'map':
      return template.entries.flatMap(([, member]) => expressionsOf(member));
  }
}
