import { type ActionContract, problemsOf } from '../../contract/contract.ts';
import { type FieldFault, Problem } from '../../contract/problem.ts';
import { problemAnswer } from '../../mixins/gateway/problem-response.ts';
import { fitValue } from './fit-value.ts';

/** The problem of a call, for a model: that of the interface, without what only HTTP has. */
export interface ToolProblem {
  code: string;
  status: number;
  title: string;
  detail: string;
  /** The faults of the arguments. */
  errors?: Omit<FieldFault, 'in'>[];
  /** Seconds after which the call may be repeated. */
  retryAfter?: number;
  /** Extension members of the problem (RFC 9457, 3.2). */
  [member: string]: unknown;
}

/** Bytes of a problem as JSON. Members of a longer problem are cut. */
const MAX_PROBLEM_BYTES = 16 * 1024;

/** Turns the error of a call into its problem. An error that the contract does not list is a 500 without inner details. */
export function toolProblem(
  contract: ActionContract,
  error: unknown,
): { problem: ToolProblem; isUnexpected: boolean } {
  const types = new Map(problemsOf(contract).map((type) => [type.code, type]));
  const { type, detail, errors, retryAfter, members } = problemAnswer(error, types);
  const problem: ToolProblem = {
    code: type.code,
    status: type.status,
    title: type.title,
    detail,
    ...(errors && type.status === 400 ? { errors: errors.map(withoutPlace) } : {}),
    ...(retryAfter ? { retryAfter } : {}),
    ...members,
  };
  return {
    problem: fitValue(problem, MAX_PROBLEM_BYTES).value as ToolProblem,
    isUnexpected: type.status === 500 && !(error instanceof Problem),
  };
}

/** A fault without the place in the request: a tool has arguments only. */
const withoutPlace = ({ in: _, ...fault }: FieldFault): Omit<FieldFault, 'in'> => fault;
