import type { CallHttpTask, Template } from '../../plan.ts';
import type { HttpEffect } from '../effect.ts';
import { type Execution, perform, type Result } from '../execution.ts';
import { keyHeaderOf, keyTemplate } from '../http/headers.ts';
import { httpRequest } from '../http/request.ts';
import { computedAddress, expandUri } from '../http/uri.ts';
import { evaluateFields } from './evaluate-fields.ts';

export async function callHttp(execution: Execution<CallHttpTask>): Promise<Result> {
  return { output: await perform(execution, await effectOf(execution)) };
}

/** Makes the effect in a function of its own, so that the evaluated fields are not kept in memory during the call. */
async function effectOf(execution: Execution<CallHttpTask>): Promise<HttpEffect> {
  const { task, input } = execution;
  const { method, output, endpoint: target } = task;
  const { endpoint, headers, key, query, body } = await evaluateFields(execution, {
    endpoint: target.kind === 'expression' ? addressTemplate(target) : undefined,
    headers: task.headers,
    key: keyTemplate(task.idempotencyKey),
    query: task.query,
    body: task.body && { kind: 'body', template: task.body },
  });
  const address =
    target.kind === 'uri-template' ? expandUri(target.template, input) : computedAddress(endpoint);
  const keyHeader = keyHeaderOf(task.idempotencyKey, key);
  return httpRequest({ method, endpoint: address, headers, keyHeader, query, body, output });
}

const addressTemplate = ({ expression }: Extract<Template, { kind: 'expression' }>): Template => ({
  kind: 'expression',
  expression: { ...expression, isAddress: true },
});
