import { pagesOf } from '../helpers/pages.ts';
import type { Person } from '../helpers/people.ts';
import { endOf } from '../helpers/runs.ts';
import { type Fault, faultsOfEnd } from './checks.ts';
import { type Load, type Sample, WAIT_MS, type Work } from './load.ts';

const succeeded = ({ status }: Sample): boolean => status >= 200 && status < 300;
/** Milliseconds that a request may take: the deadline of a write, and a margin. A longer request is a fault. */
const LONGEST_MS = 12_000;

const told = (samples: readonly Sample[], since: number): string =>
  samples
    .slice(0, 5)
    .map(({ work, status, began, ended }) => {
      const [from, took] = [began - since, ended - began].map(Math.round);
      return `${work} ${status} begun at ${from} ms, ${took} ms long`;
    })
    .join('; ');

/** Returns a fault if a request failed that began after the moment. */
export function failuresAfter(load: Load, moment: number, what: string): Fault[] {
  const failed = load.samples.filter((sample) => sample.began > moment && !succeeded(sample));
  return failed.length ? [`${failed.length} failed ${what}: ${told(failed, moment)}`] : [];
}

/** Of all reads at most that share failed, and none that began later than `graceMs` after the fault. */
export function failedReads(load: Load, fault: number, share: number, graceMs: number): Fault[] {
  const reads = load.samples.filter(({ work }) => work === 'read');
  const failed = reads.filter((sample) => !succeeded(sample));
  const late = failed.filter(({ began }) => began > fault + graceMs);
  return [
    ...(failed.length > share * reads.length
      ? [`${failed.length} of ${reads.length} reads failed: ${told(failed, fault)}`]
      : []),
    ...(late.length ? [`${late.length} reads failed late: ${told(late, fault)}`] : []),
  ];
}

/** Returns a fault if a request was not answered in time. The answer itself does not matter. */
export function hanging(load: Load, fault: number): Fault[] {
  const most = (work: Work) => LONGEST_MS + (work === 'wait' ? WAIT_MS : 0);
  const hung = load.samples.filter(({ work, began, ended }) => ended - began > most(work));
  return hung.length ? [`${hung.length} requests hung: ${told(hung, fault)}`] : [];
}

/** Returns a fault for each acknowledged issue that is missing, and for each run that has not ended as it must. */
export async function lost(load: Load, person: Person, workspaceId: number): Promise<Fault[]> {
  const pages = await pagesOf<{ id: number }>(person, `/workspaces/${workspaceId}/issues`);
  const there = new Set(pages.flat().map(({ id }) => id));
  const gone = load.written.filter((id) => !there.has(id));
  const faults = gone.length ? [`${gone.length} acknowledged writes are lost: ${gone}`] : [];
  for (const run of load.started) {
    const end = await endOf(person, run.id, 60_000).catch((error: Error) => error);
    if (end instanceof Error) faults.push(`run ${run.id}: ${end.message}`);
    else faults.push(...faultsOfEnd(run, end));
  }
  return faults;
}
