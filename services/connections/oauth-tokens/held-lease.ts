import { releaseLease, renewLease, type TokenLease } from './token-store.ts';
import type { TokenTiming } from './token-timing.ts';

/** Renews a lease while `work` runs. The signal of `work` is aborted when the lease is lost or `stopping` is. */
export async function holdLease<T>(
  lease: TokenLease,
  { leaseMs, renewalMs }: TokenTiming,
  stopping: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const lost = new AbortController();
  const renew = async (): Promise<void> => {
    // A database that cannot be reached proves no loss. The write of the result tells.
    const isHeld = await renewLease(lease, leaseMs).catch(() => true);
    if (!isHeld) lost.abort();
  };
  const timer = setInterval(renew, renewalMs);
  try {
    return await work(AbortSignal.any([lost.signal, stopping]));
  } catch (error) {
    await releaseLease(lease).catch(() => undefined); // the lease runs out
    throw error;
  } finally {
    clearInterval(timer);
  }
}
