import { MongoError } from '../errors.ts';

const WAIT_MS = 10_000;
/** How long a reservation keeps others away. */
const RESERVED_MS = 250;

const lockTimeout = (): MongoError =>
  new MongoError('LockTimeout', 'Unable to acquire the write lock: a transaction holds it');

/**
 * SQLite has one writer. A transaction that has begun to write holds this until it ends, any other
 * command until its unit is committed, which takes but an instant.
 */
export class WriteLock {
  owner: object | undefined;
  private until = Number.POSITIVE_INFINITY;
  private readonly waiting = new Set<() => void>();

  take(owner: object): void {
    this.owner = owner;
    this.until = Number.POSITIVE_INFINITY;
  }

  /** Takes it ahead of the first write: for a moment, then to be given up to whoever waits. */
  reserve(owner: object): void {
    this.owner = owner;
    this.until = Date.now() + RESERVED_MS;
  }

  get reserved(): boolean {
    return this.until < Number.POSITIVE_INFINITY;
  }

  release(owner: object): void {
    if (this.owner !== owner) return;
    this.owner = undefined;
    this.until = Number.POSITIVE_INFINITY;
    for (const wake of [...this.waiting]) wake();
    this.waiting.clear();
  }

  /** Resolves once nobody holds it. Look again before taking it: others have waited too. */
  async free(): Promise<void> {
    const end = Date.now() + WAIT_MS;
    while (this.owner !== undefined) {
      if (Date.now() >= this.until) this.release(this.owner);
      else await this.next(end);
    }
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
          if (Date.now() < end) resolve();
          else reject(lockTimeout());
        },
        Math.max(0, Math.min(end, this.until) - Date.now()),
      );
      this.waiting.add(wake);
    });
  }
}
