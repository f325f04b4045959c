import jsonata from 'jsonata';
import type { Expression } from '../plan.ts';
import { findDoubts } from './advice/doubts.ts';
import { findForeignSyntax } from './advice/foreign-syntax.ts';
import { findPitfalls, type Pitfall } from './advice/pitfalls.ts';
import { describeSyntaxError, type ParserError } from './advice/syntax-errors.ts';
import type { Context, Scope } from './context.ts';
import { findTooLarge } from './expression-nesting.ts';
import type { AstNode } from './jsonata-ast.ts';
import { findLargeNumber } from './large-number.ts';
import { BUILT_INS } from './names.ts';
import { describeUnknown } from './variable-hints.ts';
import { type Read, type StepRead, VariableReader } from './variables.ts';

/** The analysis of one source: its fault, or the variables and steps that it reads. It does not depend on the place. */
export type Analysis =
  | { error: { message: string; position: number } }
  | {
      reads: readonly Read[];
      stepReads: readonly StepRead[];
      bareStepReads: readonly StepRead[];
      pitfalls: readonly Pitfall[];
    };

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
  const analysis = context.analysisOf(source, analyse);
  if ('error' in analysis) {
    const { message, position } = analysis.error;
    context.fault(place(position), 'EXPRESSION_INVALID', message);
    return { source: trimmed, variables: [] };
  }
  for (const { name, position } of analysis.stepReads) {
    const offset = () => place(startOfName(source, name, position));
    context.stepReads.push({ name, offset });
  }
  for (const { name, position } of analysis.bareStepReads) {
    const offset = () => place(startOfName(source, 'steps', position));
    context.bareStepReads.push({ name, offset });
  }
  const variables = new Set<string>();
  let isKnown = true;
  for (const read of analysis.reads) {
    if (scope.has(read.name)) variables.add(read.name);
    else if (!read.maybeOwn && !BUILT_INS.has(read.name)) {
      isKnown = false;
      const at = place(read.position - read.name.length - 1);
      context.fault(at, 'UNKNOWN_VARIABLE', () => describeUnknown(read.name, scope));
    }
  }
  // Pitfalls of an expression with an unknown variable may follow from that variable.
  for (const { position, message, isCertain } of isKnown ? analysis.pitfalls : []) {
    const at = place(position);
    const start = isCertain === false ? MAY_NOT_WORK : CANNOT_WORK;
    context.warn(at, at + 1, 'EXPRESSION_DOUBTFUL', `${start} ${message}`);
  }
  return { source: trimmed, variables: [...variables].sort() };
}

const CANNOT_WORK = "This expression can't work:";
const MAY_NOT_WORK = 'This expression is probably meant otherwise:';
const DOES_NOT_COMPILE = "This expression doesn't compile:";

function analyse(source: string): Analysis {
  const tooLarge = findTooLarge(source);
  if (tooLarge) {
    return { error: { ...tooLarge, message: `${DOES_NOT_COMPILE} ${tooLarge.message}` } };
  }
  try {
    const reader = new VariableReader();
    const root = jsonata(source).ast() as AstNode;
    const largeNumber = findLargeNumber(root, source);
    if (largeNumber) return { error: largeNumber };
    reader.read(root);
    const pitfalls = [...findPitfalls(root, source), ...findDoubts(root, source)];
    const { reads, stepReads, bareStepReads } = reader;
    return { reads, stepReads, bareStepReads, pitfalls };
  } catch (error) {
    return { error: explain(error, source) };
  }
}

/** Reads an error of JSONata, an object with a message and the index directly after the wrong token. */
function explain(error: unknown, source: string): { message: string; position: number } {
  if (error instanceof RangeError) throw error; // the child's stack is full; the expression is not the cause
  if (source.trim() === '') {
    return { message: 'This expression is empty; $ is the input.', position: 0 };
  }
  const foreign = findForeignSyntax(source);
  if (foreign) return { ...foreign, message: `This isn't JSONata: ${foreign.message}` };
  const fault = error as ParserError;
  const end = Math.min(fault.position ?? 0, source.length);
  const start = typeof fault.token === 'string' ? startOfName(source, fault.token, end) : end;
  return { message: `${DOES_NOT_COMPILE} ${describeSyntaxError(fault)}`, position: start };
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
