import type { ActionContract } from './contract.ts';
import { isReadingTool } from './tool-rule.ts';

/**
 * Whether the agent of a flow may read with the operation. It acts as the run's workspace, without a role there: it may
 * read what a MEMBER may read, but what a person has made for themselves alone.
 */
export function isRunTool(contract: Pick<ActionContract, 'access' | 'route' | 'tool'>): boolean {
  const { access } = contract;
  return (
    isReadingTool(contract) &&
    access.who === 'member' &&
    access.roles.includes('MEMBER') &&
    !access.rules?.includes('own')
  );
}
