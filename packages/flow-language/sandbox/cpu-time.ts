import { readFileSync } from 'node:fs';

/** Milliseconds of one clock tick. Linux counts CPU time in `USER_HZ`, 100 ticks a second on all of Node's architectures. */
const MS_PER_TICK = 10;

/** Index of `utime` in proc_pid_stat(5), counted from the first field after the name in parentheses. */
const USER_FIELD = 11;
/** Index of `stime` in proc_pid_stat(5), counted from the first field after the name in parentheses. */
const SYSTEM_FIELD = 12;

/**
 * Reads the CPU time of a process in milliseconds, in steps of 10. Returns null when it cannot be read (not Linux, or
 * the process has ended); then only the clock counts.
 */
export function processCpuMs(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[USER_FIELD]) + Number(fields[SYSTEM_FIELD])) * MS_PER_TICK;
  } catch {
    return null;
  }
}
