import type { CallAgentTask } from '../../plan.ts';
import type { AgentEffect } from '../effect.ts';
import { type Execution, perform, type Result } from '../execution.ts';
import { flowError } from '../problem.ts';
import { evaluateFields } from './evaluate-fields.ts';

/** Asks the agent for one answer. The output is a value of the task's JSON Schema, or text without a schema. */
export async function callAgent(execution: Execution<CallAgentTask>): Promise<Result> {
  return { output: await perform(execution, await effectOf(execution)) };
}

async function effectOf(execution: Execution<CallAgentTask>): Promise<AgentEffect> {
  const { schema, tools } = execution.task;
  const { prompt } = await evaluateFields(execution, { prompt: execution.task.prompt });
  if (typeof prompt !== 'string' || prompt.trim() === '') {
    throw flowError('expression', 'EXPRESSION_FAILED', '"prompt" of the agent must be text');
  }
  return { kind: 'call-agent', prompt, schema: schema ?? null, tools: [...tools] };
}
