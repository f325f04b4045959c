import type { Person } from '../helpers/people.ts';
import type { LocalCall, RunAnswer } from '../helpers/runs.ts';
import type { FaultFlow } from './flows.ts';

export interface StartedRun {
  id: number;
  tag: string;
  flow: FaultFlow;
}
export type Fault = string;

const placeOf = ({ path }: LocalCall): string => path.split('/').at(-1) ?? '';

/** Splits a place into the branch of the run and the number of the call in the branch. */
function splitPlace(place: string): { branch: string; n: number } {
  const mark = place.lastIndexOf('-');
  return { branch: place.slice(0, Math.max(mark, 0)), n: Number(place.slice(mark + 1)) };
}

/**
 * Returns the faults in the calls of one run. A call is journalled before the next call of its branch begins, so a
 * request after the request of a later call was repeated after its journal entry.
 */
export function faultsOfCalls(
  { tag, flow, id }: StartedRun,
  calls: readonly LocalCall[],
  kills: number,
): Fault[] {
  const places = calls.filter(({ path }) => path.includes(`/${tag}/`)).map(placeOf);
  const faults: Fault[] = [];
  const furthest = new Map<string, number>();
  for (const place of places) {
    const { branch, n } = splitPlace(place);
    const last = furthest.get(branch) ?? 0;
    if (n < last) faults.push(`run ${id} (${flow.name}) repeated call ${place} too late`);
    furthest.set(branch, Math.max(last, n));
  }
  if (new Set(places).size !== flow.calls) {
    faults.push(`run ${id} (${flow.name}) made the calls ${places} of ${flow.calls}`);
  }
  const flaky = flow.name === 'try' ? 1 : 0;
  if (places.length > flow.calls + flaky + kills * (flow.atOnce ?? 1)) {
    faults.push(`run ${id} (${flow.name}) made ${places.length} calls with ${kills} kills`);
  }
  return faults;
}

export function faultsOfKeys({ tag, id }: StartedRun, calls: readonly LocalCall[]): Fault[] {
  const keys = new Map<string, Set<string>>();
  for (const call of calls.filter(({ path }) => path.includes(`/${tag}/`))) {
    const known = keys.get(placeOf(call)) ?? new Set();
    keys.set(placeOf(call), known.add(call.key));
  }
  return [...keys].flatMap(([place, used]) =>
    used.size === 1 ? [] : [`run ${id} sent call ${place} under ${[...used].join(' and ')}`],
  );
}

interface Page {
  totalElements: number;
  totalPages: number;
  content: {
    id: number;
    status: string;
    startedAt: string;
    completedAt: string | null;
    duration: { zero: boolean };
  }[];
}

/** Returns the milliseconds of a listed run. A run that was cancelled before its start has its creation as its start. */
function millisecondsOf({ startedAt, completedAt, duration }: Page['content'][number]): number {
  return duration.zero ? 0 : Date.parse(completedAt ?? startedAt) - Date.parse(startedAt);
}

/** Compares statistics and recent runs with a count of all runs. */
export async function faultsOfStatistics(person: Person, workspaceId: number): Promise<Fault[]> {
  const runs: Page['content'] = [];
  let totalElements = 0;
  for (let page = 0, pages = 1; page < pages; page++) {
    const { body } = await person.call<Page>('GET', '/flows/recent-runs', {
      query: { workspaceId, limit: 100, page },
    });
    runs.push(...body.content);
    ({ totalElements, totalPages: pages } = body);
  }
  const { body: stats } = await person.call<
    Record<string, number> & { runsByDay: { runCount: number }[] }
  >('GET', '/flows/stats', { query: { workspaceId } });
  const ms = runs.reduce((sum, run) => sum + millisecondsOf(run), 0);
  const count = (...statuses: string[]) =>
    runs.filter(({ status }) => statuses.includes(status)).length;
  const pairs: [string, number, number | undefined][] = [
    ['different runs', runs.length, new Set(runs.map(({ id }) => id)).size],
    ['totalElements', runs.length, totalElements],
    ['totalRuns', runs.length, stats.totalRuns],
    ['successfulRuns', count('SUCCESS'), stats.successfulRuns],
    ['failedRuns', count('FAILED', 'TIMED_OUT'), stats.failedRuns],
    ['runsByDay', runs.length, stats.runsByDay.reduce((sum, { runCount }) => sum + runCount, 0)],
    ['currentlyRunningJobs', 0, stats.currentlyRunningJobs],
    ['milliseconds', ms, Math.round((stats.averageDuration ?? 0) * runs.length * 1_000)],
  ];
  return pairs
    .filter(([, counted, said]) => counted !== said)
    .map(([what, counted, said]) => `${what}: ${counted} by a recount, ${said} by statistics`);
}

export const faultsOfEnd = ({ id, flow }: StartedRun, run: RunAnswer): Fault[] =>
  run.status === flow.status
    ? []
    : [`run ${id} (${flow.name}) ended ${run.status}: ${run.error?.title ?? ''}`];
