import type { CallAgentTask } from '../../plan.ts';
import type { Execution } from '../execution.ts';
import { flowError } from '../problem.ts';

/** Fails: this service has no agent for flows. */
export async function callAgent(_: Execution<CallAgentTask>): Promise<never> {
  const detail = 'this service has no model for agents';
  throw flowError('runtime', 'AGENT_NOT_CONFIGURED', detail, 503);
}
