import { readFileSync, readlinkSync } from 'node:fs';

/** The identity of a process, by which another process of the same machine can prove its end. */
export interface ProcessIdentity {
  /** The boot of the machine and the pid namespace; null where the system does not show them. */
  host: string | null;
  pid: number;
  /** The start of the process, in ticks since the machine booted; null where the system does not show the start. */
  pidStart: string | null;
}

/** Reads the identity of this process. A system without /proc shows only the pid, which proves nothing. */
export function ownIdentity(): ProcessIdentity {
  const boot = readOrNull(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
  const namespace = readOrNull(() => readlinkSync('/proc/self/ns/pid'));
  return {
    host: boot && namespace ? `${boot} ${namespace}` : null,
    pid: process.pid,
    pidStart: startOf(process.pid),
  };
}

/** Whether a process has certainly ended: it ran on this machine, which has no such process now. */
export function isKnownDead(mark: ProcessIdentity, own: ProcessIdentity): boolean {
  if (own.host === null || mark.host !== own.host || mark.pidStart === null) return false;
  return startOf(mark.pid) !== mark.pidStart;
}

/** Whether a process certainly lives: it runs on this machine. It may be paused, or away from the database. */
export function isKnownAlive(mark: ProcessIdentity, own: ProcessIdentity): boolean {
  if (own.host === null || mark.host !== own.host || mark.pidStart === null) return false;
  return startOf(mark.pid) === mark.pidStart;
}

/** Reads the start of a process, in ticks since the machine booted; null when the process does not exist. */
function startOf(pid: number): string | null {
  const stat = readOrNull(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // The name of the process is in brackets and may contain any character. The start is the 20th field after the
  // brackets.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
}

function readOrNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null; // the file does not exist
  }
}
