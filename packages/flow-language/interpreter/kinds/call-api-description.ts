import type { CallApiDescriptionTask, Template } from '../../plan.ts';
import type { ApiDescriptionEffect } from '../effect.ts';
import { type Execution, perform, type Result } from '../execution.ts';
import { keyHeaderOf, keyTemplate } from '../http/headers.ts';
import { descriptionRequest } from '../http/description-request.ts';
import { evaluateFields } from './evaluate-fields.ts';

export async function callApiDescription(
  execution: Execution<CallApiDescriptionTask>,
): Promise<Result> {
  return { output: await perform(execution, await effectOf(execution)) };
}

/** Makes the effect in a function of its own, so that the evaluated fields are not kept in memory during the call. */
async function effectOf(
  execution: Execution<CallApiDescriptionTask>,
): Promise<ApiDescriptionEffect> {
  const { apiDescriptionId, credential = null, ...task } = execution.task;
  const { path, query, headers, key, body } = await evaluateFields(execution, {
    path: task.pathValues,
    query: task.query,
    headers: task.headers,
    key: keyTemplate(task.idempotencyKey),
    body: task.body && { kind: 'body', template: task.body },
  });
  const pathNames = namesOf(task.pathValues);
  const keyHeader = keyHeaderOf(task.idempotencyKey, key);
  const request = {
    apiDescriptionId,
    credential,
    path,
    pathNames,
    query,
    headers,
    keyHeader,
    body,
  };
  return descriptionRequest(request);
}

/** Returns the names that the file writes; none for a path of one expression. */
function namesOf(path: Template | undefined): readonly string[] {
  return path?.kind === 'map' ? path.entries.map(([name]) => name) : [];
}
