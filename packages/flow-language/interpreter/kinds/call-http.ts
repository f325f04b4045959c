import type { CallHttpTask, Json, Template } from '../../plan.ts';
import type { HttpEffect } from '../effect.ts';
import { type Execution, perform, type Result } from '../execution.ts';
import type { Value } from '../host.ts';
import { httpRequest } from '../http/request.ts';
import { expandUri } from '../http/uri.ts';

export async function callHttp(execution: Execution<CallHttpTask>): Promise<Result> {
  return { output: await perform(execution, await effectOf(execution)) };
}

/** Makes the effect in a function of its own, so that the evaluated fields are not kept in memory during the call. */
async function effectOf(execution: Execution<CallHttpTask>): Promise<HttpEffect> {
  const { task, input } = execution;
  const fields = await evaluateFields(execution);
  const endpoint =
    task.endpoint.kind === 'uri-template'
      ? expandUri(task.endpoint.template, input)
      : fields.endpoint;
  const { method, output } = task;
  const { headers, query, body } = fields;
  return httpRequest({ method, endpoint, headers, query, body, output });
}

/** Evaluates all fields of the call in one round trip to the sandbox. */
async function evaluateFields(execution: Execution<CallHttpTask>): Promise<Record<string, Value>> {
  const { task, input, frame, evaluation } = execution;
  const { endpoint, headers, query, body } = task;
  const entries: [string, Template][] = [];
  if (endpoint.kind === 'expression') entries.push(['endpoint', endpoint]);
  if (headers) entries.push(['headers', headers]);
  if (query) entries.push(['query', query]);
  if (body) entries.push(['body', body]);
  return (await evaluation.value({ kind: 'map', entries }, input, frame)) as Record<string, Json>;
}
