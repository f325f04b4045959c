import { MongoError, timeExpired } from '../errors.ts';

/** Milliseconds that a command waits for the lock. Then it fails with LockTimeout. */
const WAIT_MS = 10_000;
/** Milliseconds of a reservation. After that a waiting command may take the lock. */
const RESERVED_MS = 250;

const lockTimeout = (): MongoError =>
  new MongoError('LockTimeout', 'Unable to acquire the write lock: a transaction holds it');

/**
 * The lock of SQLite's only writer. A transaction holds the lock from its first write to its end; any other command
 * holds it until its unit is committed, which takes very little time.
 */
export class WriteLock {
  owner: object | undefined;
  private until = Number.POSITIVE_INFINITY;
  private readonly waiting = new Set<() => void>();

  take(owner: object): void {
    this.owner = owner;
    this.until = Number.POSITIVE_INFINITY;
  }

  /** Takes the lock before the first write, for `RESERVED_MS`. After that a waiting command releases the lock. */
  reserve(owner: object): void {
    this.owner = owner;
    this.until = performance.now() + RESERVED_MS;
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

  /**
   * Resolves when the lock is free. The caller must check `owner` again, because other commands wait as well. Throws
   * MaxTimeMSExpired at the command's `deadline`, in milliseconds of `performance.now()`.
   */
  async free(deadline = Number.POSITIVE_INFINITY): Promise<void> {
    const end = Math.min(performance.now() + WAIT_MS, deadline);
    if (!(await this.isFreeUntil(end))) throw end === deadline ? timeExpired() : lockTimeout();
  }

  /** Waits until the lock is free, but not longer than a reservation lasts. Returns whether the lock is free. */
  freeSoon(deadline: number): Promise<boolean> {
    return this.isFreeUntil(Math.min(performance.now() + RESERVED_MS, deadline));
  }

  private async isFreeUntil(end: number): Promise<boolean> {
    while (this.owner !== undefined) {
      const now = performance.now();
      if (now >= this.until) this.release(this.owner);
      else if (now >= end) return false;
      else await this.next(end);
    }
    return true;
  }

  private next(end: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, Math.max(0, Math.min(end, this.until) - performance.now()));
      this.waiting.add(wake);
    });
  }
}
