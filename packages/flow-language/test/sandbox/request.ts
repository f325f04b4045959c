import type { Scope } from '../../interpreter/host.ts';
import type { Expression, Template } from '../../plan.ts';
import type { JobContext } from '../../sandbox/sandbox.ts';

/** The variables of an expression as the compiler would find them, near enough for tests. */
export function expression(source: string): Expression {
  const variables = [...source.matchAll(/\$([a-z]\w*)/gi)].map(([, name]) => name ?? '');
  return { source, variables };
}

export function whole(source: string): Template {
  return { kind: 'expression', expression: expression(source) };
}

export const CONTEXT: JobContext = { tenant: 'workspace:1' };

export function scope(given: Partial<Scope & JobContext> = {}): Scope & JobContext {
  return { ...CONTEXT, input: {}, variables: {}, now: 0, seed: 'seed', ...given };
}
