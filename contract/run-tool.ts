import type { ActionContract } from './contract.ts';
import { isReadingTool } from './tool-rule.ts';

/**
 * Whether the agent of a flow may read with the operation. It acts as the run's workspace, without a role there: it may
 * read what a MEMBER may read.
 */
export const isRunTool = (contract: Pick<ActionContract, 'access' | 'route' | 'tool'>): boolean =>
  isReadingTool(contract) &&
  contract.access.who === 'member' &&
  contract.access.roles.includes('MEMBER');
