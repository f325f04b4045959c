import { setImmediate as turn } from 'node:timers/promises';
import type { Store } from '../storage/store.ts';
import type { Sessions } from './sessions.ts';

/** Removes the store's leftover tables in portions, between which others read and write. */
export class LeftoverRemoval {
  private readonly store: Store;
  private readonly sessions: Sessions;
  private isRunning = false;

  constructor(store: Store, sessions: Sessions) {
    this.store = store;
    this.sessions = sessions;
  }

  /** Begins to remove, unless a removal runs. After an error, such as a full disk, the next call goes on. */
  start(): void {
    if (this.isRunning || this.store.leftovers.length === 0) return;
    this.isRunning = true;
    this.run()
      .catch(() => {})
      .finally(() => {
        this.isRunning = false;
      });
  }

  /** Removes tables that a failed command has made `ASIDE`. */
  add(tables: readonly string[]): void {
    for (const table of tables) this.store.leftovers.push(table);
    this.start();
  }

  private async run(): Promise<void> {
    const { store, sessions } = this;
    const context = store.context();
    while (store.leftovers.length > 0) {
      await turn();
      await sessions.portion(context, () => store.removeLeftover(context));
    }
  }
}
