import { compile } from '../../language/compile.ts';
import type { Plan } from '../../plan.ts';

/** Faults as `line:column CODE`: what callers may rely on. */
export function faultsOf(text: string): string[] {
  return compile(text).faults.map(({ line, column, code }) => `${line}:${column} ${code}`);
}

export function planOf(text: string): Plan {
  const { plan, faults } = compile(text);
  if (!plan) throw new Error(`not a flow: ${JSON.stringify(faults)}`);
  return plan;
}

/** The variables that an expression reads, as the plan says. */
export function variablesOf(expression: string): readonly string[] {
  const [task] = planOf(withExpression(expression)).tasks;
  const entries = task?.kind === 'set' && task.value.kind === 'map' ? task.value.entries : [];
  const [, template] = entries[0] ?? [];
  return template?.kind === 'expression' ? template.expression.variables : [];
}

/** A flow with one expression; JSON, so that it may hold any characters. */
export function withExpression(expression: string): string {
  return JSON.stringify({ do: [{ only: { set: { value: `\${${expression}}` } } }] });
}
