import { isDuplicateKey } from './database.ts';

/**
 * Creates a document that holds a quota slot: a number that a unique index admits once, so that concurrent creations stay
 * within the quota. `create` chooses a slot and is repeated when another creation has taken it.
 */
export async function createInSlot<T>(
  indexes: readonly string[],
  create: () => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await create();
    } catch (error) {
      if (!indexes.some((index) => isDuplicateKey(error, index))) throw error;
    }
  }
}
