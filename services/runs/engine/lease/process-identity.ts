import { readFileSync, readlinkSync } from 'node:fs';

/** What proves that a process has ended: the machine and pid namespace it ran in, its pid and start. */
export interface ProcessIdentity {
  host: string | null;
  pid: number;
  pidStart: string | null;
}

/** The mark of this process. On systems without /proc nothing can be proved. */
export function ownIdentity(): ProcessIdentity {
  const boot = readOrNull(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
  const namespace = readOrNull(() => readlinkSync('/proc/self/ns/pid'));
  return {
    host: boot && namespace ? `${boot} ${namespace}` : null,
    pid: process.pid,
    pidStart: startOf(process.pid),
  };
}

/** Whether the process of a mark has ended for certain: same machine, and no such process there. */
export function isKnownDead(mark: ProcessIdentity, own: ProcessIdentity): boolean {
  if (own.host === null || mark.host !== own.host || mark.pidStart === null) return false;
  return startOf(mark.pid) !== mark.pidStart;
}

/** When a process started, in ticks since the machine did; null when there is none. */
function startOf(pid: number): string | null {
  const stat = readOrNull(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // The name stands in brackets and may hold anything; state is the first field after it, start the 20th.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
}

function readOrNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null; // not there
  }
}
