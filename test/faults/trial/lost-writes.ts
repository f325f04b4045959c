import { pagesOf } from '../../helpers/pages.ts';
import type { Person } from '../../helpers/people.ts';
import type { RunAnswer } from '../../helpers/runs.ts';
import { waitFor } from '../../helpers/wait.ts';
import { type Fault, faultsOfEnd, type StartedRun } from '../checks.ts';
import type { Ledger } from './ledger.ts';
import type { TrialTarget } from './trial-load.ts';

/** Milliseconds within which all runs end after the last fault, those whose start nobody acknowledged included. */
const ENDED_WITHIN_MS = 60_000;

interface Issue {
  id: number;
  title: string;
  description: string;
}

/** Returns a fault for each acknowledged write that is missing or was carried out twice. */
export async function faultsOfWrites(
  person: Person,
  { workspaceId, store, row, rest }: TrialTarget,
  { created, descriptions, properties, runs }: Ledger,
): Promise<Fault[]> {
  const path = `/workspaces/${workspaceId}/issues?limit=100`;
  const issues = (await pagesOf<Issue>(person, path)).flat();
  const stored = await person.call<Record<string, string>>(
    'GET',
    `/configurations/${store}/properties`,
    { query: { workspaceId } },
  );
  const ended = await endedRuns(person, [row.id, rest.id]);
  return [
    ...faultsOfCreations(issues, created),
    ...faultsOfValues(
      'issue',
      descriptions,
      new Map(issues.map(({ id, description }) => [id, description])),
    ),
    ...faultsOfValues('property', properties, new Map(Object.entries(stored.body))),
    ...faultsOfRuns(ended, runs),
  ];
}

/** Each acknowledged title is there, and no title twice: each was sent under one key. */
function faultsOfCreations(issues: readonly Issue[], created: ReadonlySet<string>): Fault[] {
  const titles = Map.groupBy(issues, ({ title }) => title);
  const gone = [...created].filter((title) => !titles.has(title));
  const twice = [...titles].filter(([, same]) => same.length > 1).map(([title]) => title);
  return [
    ...(gone.length ? [`${gone.length} acknowledged issues are lost: ${gone}`] : []),
    ...(twice.length ? [`${twice.length} issues are there more than once: ${twice}`] : []),
  ];
}

function faultsOfValues<K>(
  what: string,
  written: ReadonlyMap<K, readonly string[]>,
  found: ReadonlyMap<K, string>,
): Fault[] {
  const isAcknowledged = (values: readonly string[]) => values.length > 0;
  return [...written]
    .filter(([place, values]) => isAcknowledged(values) && !values.includes(found.get(place) ?? ''))
    .map(([place, values]) => `${what} ${place} has ${found.get(place)} in place of ${values}`);
}

/** Each acknowledged run has ended as its flow does, and no input was run twice: each was sent under one key. */
function faultsOfRuns(ended: readonly RunAnswer[], runs: readonly StartedRun[]): Fault[] {
  const byId = new Map(ended.map((run) => [run.id, run]));
  const byInput = Map.groupBy(ended, ({ input }) => JSON.stringify(input));
  const twice = [...byInput].filter(([, same]) => same.length > 1).map(([input]) => input);
  return [
    ...runs.flatMap((run) => {
      const end = byId.get(run.id);
      return end ? faultsOfEnd(run, end) : [`the acknowledged run ${run.id} is lost`];
    }),
    ...(twice.length ? [`${twice.length} starts made more than one run: ${twice}`] : []),
  ];
}

/** The runs of the flows, once all of them have ended. */
const endedRuns = (person: Person, flowIds: readonly number[]): Promise<RunAnswer[]> =>
  waitFor(
    'the end of all runs',
    async () => {
      const lists = flowIds.map((id) => pagesOf<RunAnswer>(person, `/flows/${id}/runs?limit=100`));
      const runs = (await Promise.all(lists)).flat(2);
      return runs.every(({ completedAt }) => completedAt !== null) && runs;
    },
    ENDED_WITHIN_MS,
  );
