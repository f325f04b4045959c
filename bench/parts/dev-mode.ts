import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../../test/helpers/http.ts';
import { createWorkspace, type Person, register } from '../../test/helpers/people.ts';
import { startServer } from '../../test/helpers/server.ts';
import { createWorkflow, editStep, type WorkflowStep } from '../../test/helpers/workflows.ts';
import { countingDatabase } from '../counters.ts';
import { FIGURES } from '../figures.ts';
import { percentile } from '../percentile.ts';
import { DURABILITY, printLine, reportFigure } from '../report.ts';
import { productionEnvironment, startDatabase, stopDatabase } from '../setup.ts';

/** Steps of a small and of the largest workflow. */
const SMALL = 10;
const LARGE = 500;
/** Publications that are timed, each of a branch in which every 50th step was edited. */
const PUBLICATIONS = 5;
const EDITED_EVERY = 50;
/** Edits one after another whose database commands are counted. */
const COUNTED_EDITS = 20;
/** Milliseconds after an edit within which its background commands, such as those of the audit log, are sent. */
const BACKGROUND_MS = 1_500;
/** Milliseconds between two edits that are counted: more than the check of the largest workflow takes. */
const COUNTED_EVERY_MS = 1_500;
/** Milliseconds over which the commands of a service without requests are counted. */
const IDLE_MS = 10_000;
/** People who edit one branch at the same time, the milliseconds between two edits of each, and how long they do. */
const EDITORS = 20;
const EDIT_EVERY_MS = 200;
const SECONDS = 30;

/** A step of about 300 bytes of JSON. */
const stepOf = (at: number, value: unknown): WorkflowStep => ({
  key: `step${at}`,
  definition: { set: { value, text: 'x'.repeat(220), sum: `\${ $input.amount + ${at} }` } },
});

interface Branch {
  workspaceId: number;
  workflowId: number;
}

/** Measures publications and edits of branches, and edits of many people on one branch. */
export async function measureDevMode(): Promise<void> {
  const database = await startDatabase('dev-mode');
  try {
    const counted = await countingDatabase(database.uri);
    const service = await startServer({ env: productionEnvironment(counted.uri) });
    try {
      const owner = await register(service.url);
      const workspaceId = await createWorkspace(owner);
      const branchOf = async (steps: number): Promise<Branch> => {
        const all = Array.from({ length: steps }, (_, at) => stepOf(at, 0));
        return { workspaceId, workflowId: await createWorkflow(owner, workspaceId, all) };
      };
      printLine(`branches of ${SMALL} and ${LARGE} steps; ${DURABILITY}`);
      const large = await branchOf(LARGE);
      reportFigure(FIGURES.publish, await timePublications(owner, large), 0);
      const commandsOf = (branch: Branch) => countEdits(owner, branch, counted.commands);
      const ofSmall = await commandsOf(await branchOf(SMALL));
      const ofLarge = await commandsOf(large);
      printLine(`database commands of an edit: ${ofSmall} and ${ofLarge}`);
      reportFigure(FIGURES.editCommands, ofLarge / ofSmall);
      for (const branch of [await branchOf(SMALL), large]) await measureEditors(owner, branch);
    } finally {
      await service.stop();
      counted.stop();
    }
  } finally {
    await stopDatabase(database);
  }
}

/** The most milliseconds of a publication. */
async function timePublications(owner: Person, branch: Branch): Promise<number> {
  const { workspaceId, workflowId } = branch;
  const times: number[] = [];
  for (let n = 1; n <= PUBLICATIONS; n++) {
    for (let at = 0; at < LARGE; at += EDITED_EVERY) await editStep(owner, branch, stepOf(at, n));
    const begin = performance.now();
    const path = `/dev-mode/branches/${workflowId}/publish`;
    const { status, text } = await owner.call('POST', path, { query: { workspaceId } });
    if (status !== 200) throw new Error(`publishing answered ${status}: ${text}`);
    times.push(performance.now() - begin);
  }
  return Math.max(...times);
}

/** The database commands of an edit that makes no branch, those of the background included. */
async function countEdits(owner: Person, branch: Branch, commands: () => number): Promise<number> {
  await editStep(owner, branch, stepOf(0, 'first'));
  await sleep(BACKGROUND_MS);
  const idle = { commands: commands(), at: performance.now() };
  await sleep(IDLE_MS);
  const begin = { commands: commands(), at: performance.now() };
  const idleRate = (begin.commands - idle.commands) / (begin.at - idle.at);
  for (let n = 0; n < COUNTED_EDITS; n++) {
    const edited = performance.now();
    await editStep(owner, branch, stepOf(0, n));
    // At one pace, however long the check of the steps takes: edits that follow at once share background commands.
    await sleep(Math.max(COUNTED_EVERY_MS - (performance.now() - edited), 0));
  }
  await sleep(BACKGROUND_MS);
  const ofIdle = idleRate * (performance.now() - begin.at);
  return Math.round(((commands() - begin.commands - ofIdle) / COUNTED_EDITS) * 10) / 10;
}

/**
 * Lets people edit one branch, and counts the edits that are refused, and the acknowledgements that have no snapshot of
 * their own in the history.
 */
async function measureEditors(owner: Person, branch: Branch): Promise<void> {
  const times: number[] = [];
  const snapshots = new Set<number>();
  const until = performance.now() + SECONDS * 1_000;
  const edit = async (editor: number): Promise<void> => {
    for (let n = 0; performance.now() < until; n++) {
      const begin = performance.now();
      snapshots.add(await editStep(owner, branch, stepOf(editor % SMALL, `${editor} ${n}`)));
      const ms = performance.now() - begin;
      times.push(ms);
      await sleep(Math.max(EDIT_EVERY_MS - ms, 0));
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: EDITORS }, (_, n) => edit(n)));
  const refused = ends.filter(({ status }) => status === 'rejected').length;
  const kept = await listSnapshots(owner, branch);
  const [p50, p99] = [0.5, 0.99].map((part) => percentile(times, part).toFixed(0));
  printLine(
    `${EDITORS} editors: ${(times.length / SECONDS).toFixed(0)} edits/s, p50 ${p50} ms, p99 ${p99} ms`,
  );
  reportFigure(FIGURES.refusedEdits, refused, 0);
  reportFigure(FIGURES.lostEdits, times.length - snapshots.intersection(kept).size, 0);
}

/** The ids of all snapshots in the history of a branch. */
async function listSnapshots(
  owner: Person,
  { workspaceId, workflowId }: Branch,
): Promise<Set<number>> {
  const ids = new Set<number>();
  let path: string | undefined =
    `/dev-mode/branches/${workflowId}/history?workspaceId=${workspaceId}`;
  while (path) {
    const page: Answer<{ snapshot: { id: number } }[]> = await owner.call('GET', path);
    for (const { snapshot } of page.body) ids.add(snapshot.id);
    path = /<([^>]+)>; rel="next"/.exec(String(page.headers.link))?.[1];
  }
  return ids;
}
