import {
  type FlowError,
  flowError,
  type IssueEffect,
  referenceNotFound,
} from '@workspace-automation/flow-language';
import { InvalidRequest, isProblem, NotFound } from '../../../../../contract/problem.ts';
import { completeCall } from './complete-call.ts';
import type { EffectContext, EffectEnd } from './effect.ts';

/** Raises an issue in the run's workspace. The issue shows no secret that the run has sent. */
export function callIssue(effect: IssueEffect, context: EffectContext): Promise<EffectEnd> {
  return completeCall(context, async (time) => {
    const { run, effectKey, tools } = context;
    const raise = { workspaceId: run.workspaceId, key: effectKey, ...maskIssue(effect, context) };
    try {
      return await time.await(tools.issues.raise(run, raise));
    } catch (error) {
      throw refusalOf(error) ?? error;
    }
  });
}

function maskIssue(
  { title, description, assignedUserId, fingerprint }: IssueEffect,
  { secrets }: EffectContext,
) {
  const maskText = (text: string | null) => text && secrets.maskText(text);
  return {
    title: secrets.maskText(title),
    description: maskText(description),
    assignedUserId,
    fingerprint: maskText(fingerprint),
  };
}

/** Makes the flow's error for a call that the service `issues` refuses; null for any other error. */
function refusalOf(error: unknown): FlowError | null {
  if (isProblem(error, NotFound)) return referenceNotFound('the workspace has been deleted');
  if (!isProblem(error, InvalidRequest)) return null;
  const { errors = [] } = error.data;
  const stranger = errors.find(({ code }) => code === 'not_a_member');
  if (stranger) return referenceNotFound(stranger.message);
  const faults = errors.map(({ path, message }) => `"${path}" ${message}`);
  return flowError('validation', 'INPUT_REFUSED', `the issue is refused: ${faults.join('; ')}`);
}
