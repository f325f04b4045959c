import type { CallIssueTask, Json } from '../../plan.ts';
import type { IssueEffect } from '../effect.ts';
import { type Execution, perform, type Result } from '../execution.ts';
import { flowError } from '../problem.ts';
import { evaluateFields } from './evaluate-fields.ts';

/** Raises an issue, or updates the issue with the same fingerprint and opens it again. The output is the issue. */
export async function callIssue(execution: Execution<CallIssueTask>): Promise<Result> {
  return { output: await perform(execution, await effectOf(execution)) };
}

async function effectOf(execution: Execution<CallIssueTask>): Promise<IssueEffect> {
  const { title, description, assignedUserId, fingerprint } = execution.task;
  const fields = await evaluateFields(execution, {
    title,
    description,
    assignedUserId,
    fingerprint,
  });
  return {
    kind: 'call-issue',
    title: textOf(fields.title, 'title') ?? refuse('title', 'is missing'),
    description: textOf(fields.description, 'description'),
    assignedUserId: idOf(fields.assignedUserId),
    fingerprint: textOf(fields.fingerprint, 'fingerprint'),
  };
}

function textOf(value: Json | undefined, name: string): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : refuse(name, 'must be a string');
}

function idOf(value: Json | undefined): number | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value;
  return refuse('assignedUserId', 'must be the id of a member');
}

function refuse(name: string, rule: string): never {
  throw flowError('expression', 'EXPRESSION_FAILED', `"${name}" of the issue ${rule}`);
}
