import { createWorkspace, type Person, register } from '../helpers/people.ts';
import type { ServiceProcess } from '../helpers/process.ts';
import { dataFolder, stopServers } from '../helpers/server.ts';
import { groundOf, servicesExcept, startPart, untilReady } from '../helpers/spread.ts';
import { createWorkflow, type WorkflowStep } from '../helpers/workflows.ts';

afterAll(stopServers);

const OTHERS = servicesExcept('api', 'dev-mode');
/** People who edit the branch, each a step of their own. */
const EDITORS = 8;
/** Acknowledged edits of each after the kill. */
const EDITS_AFTER = 5;

const stepOf = (editor: number, value: string): WorkflowStep => ({
  key: `step${editor}`,
  definition: { set: { value } },
});

let owner: Person;
let workspaceId: number;
let workflowId: number;
let doomed: ServiceProcess;

beforeAll(async () => {
  const ground = await groundOf(dataFolder());
  const gateway = startPart(ground, 'api');
  startPart(ground, OTHERS);
  doomed = startPart(ground, 'dev-mode');
  const other = startPart(ground, 'dev-mode');
  const url = (await gateway.ready) ?? '';
  await Promise.all([doomed.ready, other.ready, untilReady(url)]);
  owner = await register(url);
  workspaceId = await createWorkspace(owner);
  const steps = Array.from({ length: EDITORS }, (_, editor) => stepOf(editor, 'base'));
  workflowId = await createWorkflow(owner, workspaceId, steps);
});

const send = <T>(method: string, path: string, body?: object) =>
  owner.call<T>(method, `/dev-mode/branches/${workflowId}${path}`, {
    query: { workspaceId, limit: path === '/history' ? 1_000 : undefined },
    ...(body ? { body } : {}),
  });

test('two processes of dev-mode edit and publish one branch, one is killed, and no acknowledged edit is lost', async () => {
  let isKilled = false;
  const acknowledged = new Set<number>();
  const latest = new Map<number, string[]>();
  /** Edits until enough edits are acknowledged after the kill. Every publication is refused or succeeds as a whole. */
  const edit = async (editor: number): Promise<void> => {
    for (let n = 0, after = 0; after < EDITS_AFTER; n++) {
      const { key, definition } = stepOf(editor, `${editor} ${n}`);
      latest.set(editor, [...(latest.get(editor) ?? []), `${editor} ${n}`]);
      const answer = await send<{ snapshot: { id: number } }>('PUT', `/steps/${key}`, {
        definition,
      });
      if (answer.status === 200) {
        acknowledged.add(answer.body.snapshot.id);
        latest.set(editor, [`${editor} ${n}`]);
        if (isKilled) after++;
      } else expect([503, 504]).toContain(answer.status);
      if (n % 5 === editor % 5) {
        expect([200, 503, 504]).toContain((await send('POST', '/publish')).status);
      }
      if (acknowledged.size > EDITORS * 3 && !isKilled) {
        isKilled = true;
        doomed.signal('SIGKILL');
      }
    }
  };
  await Promise.all(Array.from({ length: EDITORS }, (_, editor) => edit(editor)));
  const { body: edits } = await send<{ snapshot: { id: number } }[]>('GET', '/history');
  const kept = new Set(edits.map(({ snapshot }) => snapshot.id));
  expect([...acknowledged.difference(kept)]).toEqual([]);
  const { status, body } = await send<{ steps: WorkflowStep[] }>('POST', '/publish');
  expect(status).toBe(200);
  for (const [editor, values] of latest) {
    const step = body.steps.find(({ key }) => key === `step${editor}`);
    // An edit that was not answered may have come about.
    const possible = values.map((value) => stepOf(editor, value).definition);
    expect(possible).toContainEqual(step?.definition);
  }
  const { body: branch } = await send<{ diff: unknown[]; problems: unknown[] }>('GET', '');
  expect([branch.diff, branch.problems]).toEqual([[], []]);
});
