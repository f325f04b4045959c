import type { FieldFault } from '../contract/problem.ts';

/** A failure as it comes over NATS: of no class that could be asked for. */
interface Failure {
  code: number;
  type: string;
  message: string;
  data?: { errors?: readonly FieldFault[] } | null;
}
const isFailure = (error: object): error is Failure =>
  'code' in error && typeof error.code === 'number' && 'type' in error;

/** A failure as an operator reads it: status, code, what it says, and what is wrong field by field. */
export function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!isFailure(error)) return error.message;
  const faults = (error.data?.errors ?? []).map(
    ({ in: place, path, code, message }) => `  ${place} ${path}: ${message} (${code})`,
  );
  return [`${error.code} ${error.type}: ${error.message}`, ...faults].join('\n');
}

/** The same failure, for the REPL's own `call`, which shows the stack of what is thrown. */
export function readable(error: unknown): unknown {
  if (error instanceof Error) error.stack = textOf(error);
  return error;
}
