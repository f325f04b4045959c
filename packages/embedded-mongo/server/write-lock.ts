import { MongoError } from '../errors.ts';

const WAIT_MS = 10_000;

/**
 * SQLite has one writer. A transaction that has begun to write holds this until it ends, any other
 * command until its unit is committed, which takes but an instant.
 */
export class WriteLock {
  owner: object | undefined;
  private readonly waiting = new Set<() => void>();

  take(owner: object): void {
    this.owner = owner;
  }

  release(owner: object): void {
    if (this.owner !== owner) return;
    this.owner = undefined;
    for (const wake of [...this.waiting]) wake();
    this.waiting.clear();
  }

  /** Resolves once nobody holds it. Look again before taking it: others have waited too. */
  async free(): Promise<void> {
    const end = Date.now() + WAIT_MS;
    while (this.owner !== undefined) await this.next(end);
  }

  private next(end: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const wake = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(
        () => {
          this.waiting.delete(wake);
          reject(
            new MongoError(
              'LockTimeout',
              'Unable to acquire the write lock: a transaction holds it',
            ),
          );
        },
        Math.max(0, end - Date.now()),
      );
      this.waiting.add(wake);
    });
  }
}
