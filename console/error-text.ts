import type { FieldFault } from '../contract/problem.ts';

/** An error that came over NATS, and has lost its class on the way. */
interface Failure {
  code: number;
  type: string;
  message: string;
  data?: { errors?: readonly FieldFault[] } | null;
}
const isFailure = (error: object): error is Failure =>
  'code' in error && typeof error.code === 'number' && 'type' in error;

/** Formats an error for the operator: status, code, message, and a line for each fault. */
export function formatError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!isFailure(error)) return error.message;
  const faults = (error.data?.errors ?? []).map(
    ({ in: place, path, code, message }) => `  ${place} ${path}: ${message} (${code})`,
  );
  return [`${error.code} ${error.type}: ${error.message}`, ...faults].join('\n');
}
