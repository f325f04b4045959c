import { readFileSync } from 'node:fs';

/** Linux counts in `USER_HZ`, which is 100 a second on every architecture Node runs on. */
const MS_PER_TICK = 10;

/** utime and stime of proc_pid_stat(5), counted from the field behind the name in parentheses. */
const USER_FIELD = 11;
const SYSTEM_FIELD = 12;

/**
 * CPU time in milliseconds that a process has used so far, in steps of 10; null where it can't be
 * read (not Linux, or the process is gone), so that only the clock counts.
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
