import { readdirSync, readFileSync } from 'node:fs';

/** Kernel clock ticks a second, as `getconf CLK_TCK` says on Linux. */
const TICKS = 100;
const PAGE_BYTES = 4096;

interface Usage {
  memoryMb: number;
  cpuSeconds: number;
}

/** Returns the memory and the CPU time of a process and all its descendants. Works on Linux only, by /proc. */
export function usageOfTree(root: number): Usage {
  const usage: Usage = { memoryMb: 0, cpuSeconds: 0 };
  for (const pid of treeOf(root)) {
    const stat = statOf(pid);
    if (!stat) continue;
    usage.cpuSeconds += cpuSecondsIn(stat);
    usage.memoryMb += (Number(stat[21]) * PAGE_BYTES) / 2 ** 20;
  }
  return usage;
}

/** Returns the CPU time of a process without its descendants, in seconds. Works on Linux only. */
export const cpuSecondsOf = (pid: number): number => cpuSecondsIn(statOf(pid) ?? []);

const cpuSecondsIn = (stat: readonly string[]): number =>
  (Number(stat[11]) + Number(stat[12])) / TICKS;

/** Kills every descendant of this process. Does nothing where there is no /proc. */
export function killDescendants(): void {
  if (process.platform !== 'linux') return;
  for (const pid of treeOf(process.pid).slice(1)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // the process has ended meanwhile
    }
  }
}

/** Lists a process and all its descendants, every parent before its children. */
function treeOf(root: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const stat = statOf(Number(name));
    if (stat) parents.set(Number(name), Number(stat[1]));
  }
  const tree = [root];
  for (const pid of tree) {
    for (const [child, parent] of parents) if (parent === pid) tree.push(child);
  }
  return tree;
}

/** Reads the fields of /proc/<pid>/stat behind the name; the first is the state, the second the parent. */
function statOf(pid: number): string[] | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null; // the process has ended meanwhile
  }
}
