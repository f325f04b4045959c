import type { lifecycleActions } from '../contract/lifecycle-actions.ts';
import type { OutboxMessage } from '../mixins/changes/outbox.ts';
import { contracts } from './contracts.ts';

type ErasureAction = keyof typeof lifecycleActions;

/** The actions of that name in all services that store documents of workspaces or persons. */
export const erasureActions = (action: ErasureAction): string[] =>
  contracts.filter(({ actions }) => action in actions).map(({ name }) => `${name}.${action}`);

/** The messages by which a deletion makes every service erase. */
export const erasureCalls = (
  action: ErasureAction,
  params: { workspaceId: number } | { userId: number; addresses?: readonly string[] },
): OutboxMessage[] => erasureActions(action).map((call) => ({ call, params }));
