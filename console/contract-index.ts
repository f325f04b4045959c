import type { ActionContract } from '../contract/contract.ts';
import { contracts } from '../services/contracts.ts';

const known = new Map<string, ActionContract>(
  contracts.flatMap((service) =>
    Object.entries(service.actions as Record<string, ActionContract>).map(
      ([name, contract]): [string, ActionContract] => [`${service.name}.${name}`, contract],
    ),
  ),
);

/** An action's contract by its full name. */
export const contractOf = (action: string): ActionContract | undefined => known.get(action);

export const actionNames = (): string[] => [...known.keys()];
