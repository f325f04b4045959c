import jsonata from 'jsonata';
import type { Expression } from '../plan.ts';
import type { Context, Scope } from './context.ts';
import { findTooLarge } from './expression-nesting.ts';
import type { AstNode } from './jsonata-ast.ts';
import { BUILT_INS } from './names.ts';
import { describeUnknown } from './variable-hints.ts';
import { type Read, type StepRead, VariableReader } from './variables.ts';

/** The analysis of one source: its fault, or the variables and steps that it reads. It does not depend on the place. */
export type Analysis =
  | { error: { message: string; position: number } }
  | { reads: readonly Read[]; stepReads: readonly StepRead[] };

/** Converts an index of an expression's source to an offset in the file. */
type Place = (index: number) => number;

/** Checks an expression at its place in the file and lists the variables of the scope that it reads. */
export function readExpression(
  source: string,
  place: Place,
  scope: Scope,
  context: Context,
): Expression {
  const trimmed = source.trim();
  const analysis = context.analyses.get(source) ?? analyse(source);
  context.analyses.set(source, analysis);
  if ('error' in analysis) {
    const { message, position } = analysis.error;
    const fault = `This expression doesn't compile: ${message}`;
    context.fault(place(position), 'EXPRESSION_INVALID', fault);
    return { source: trimmed, variables: [] };
  }
  for (const { name, position } of analysis.stepReads) {
    const offset = () => place(startOfName(source, name, position));
    context.stepReads.push({ name, offset });
  }
  const variables = new Set<string>();
  for (const read of analysis.reads) {
    if (scope.has(read.name)) variables.add(read.name);
    else if (!read.maybeOwn && !BUILT_INS.has(read.name)) {
      const at = place(read.position - read.name.length - 1);
      context.fault(at, 'UNKNOWN_VARIABLE', () => describeUnknown(read.name, scope));
    }
  }
  return { source: trimmed, variables: [...variables].sort() };
}

function analyse(source: string): Analysis {
  const tooLarge = findTooLarge(source);
  if (tooLarge) return { error: tooLarge };
  try {
    const reader = new VariableReader();
    reader.read(jsonata(source).ast() as AstNode);
    return { reads: reader.reads, stepReads: reader.stepReads };
  } catch (error) {
    return { error: explain(error, source) };
  }
}

/** Reads an error of JSONata, an object with a message and the index directly after the wrong token. */
function explain(error: unknown, source: string): { message: string; position: number } {
  if (error instanceof RangeError) throw error; // the child's stack is full; the expression is not the cause
  const { message, position, token } = error as Partial<jsonata.JsonataError>;
  const end = Math.min(position ?? 0, source.length);
  const start = typeof token === 'string' ? startOfName(source, token, end) : end;
  return { message: message ?? 'it is not JSONata', position: start };
}

/** Finds the start of a name from JSONata's position, which is the name's end. */
function startOfName(source: string, name: string, end: number): number {
  for (const written of [name, `\`${name}\``, `"${name}"`]) {
    if (source.slice(Math.max(0, end - written.length), end) === written) {
      return end - written.length;
    }
  }
  return end;
}
