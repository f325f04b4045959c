import { pino } from 'pino';
import type { ReadRequest } from '../../mixins/gateway/gateway-request.ts';
import { createIdempotencyStep } from '../../mixins/gateway/steps/idempotency.ts';
import { idempotencyRecords } from '../../services/api/idempotency/records.ts';
import { createIssue } from '../../services/issues/create-issue.ts';
import { issues } from '../../services/issues/issues.store.ts';
import { removeIssue } from '../../services/issues/remove-issue.ts';
import { updateIssue } from '../../services/issues/update-issue.ts';
import { commandsOf } from '../helpers/captured-commands.ts';
import { changeContext } from '../helpers/change-context.ts';
import { useDatabase } from '../helpers/database.ts';

const NOBODY = { people: async () => new Map(), isMember: async () => false };
const change = changeContext();

const raise = () => createIssue({ workspaceId: 1, title: 'a', description: '' }, change, NOBODY);

useDatabase();
beforeAll(raise); // takes a block of ids

test('a write of an issue costs one command, its audit entry and its event included', async () => {
  expect(await commandsOf(raise)).toEqual(['insert']);
  const { id: issueId } = await raise();
  const found = async () => {
    const issue = await issues.find(issueId);
    if (!issue) throw new Error('the issue is missing');
    return issue;
  };
  const issue = await found();
  const update = { workspaceId: 1, issueId, title: 'b' };
  expect(await commandsOf(() => updateIssue(issue, update, change, NOBODY))).toEqual([
    'findAndModify',
  ]);
  const changed = await found();
  expect(await commandsOf(() => updateIssue(changed, update, change, NOBODY))).toEqual([]);
  expect(await commandsOf(() => removeIssue(changed, change, NOBODY))).toEqual(['update']);
});

test('an Idempotency-Key adds two commands to a write, and its repeat costs one', async () => {
  const request = {
    caller: { kind: 'person', userId: 1 },
    http: { headers: { 'idempotency-key': 'once' } },
    route: {
      method: 'POST',
      contract: {
        route: 'POST /issues',
        access: { who: 'person' },
        idempotency: { sequence: 'issues' },
      },
    },
    segments: ['issues'],
    query: { values: {}, faults: [] },
    body: null,
    requestId: 'r',
  } as unknown as ReadRequest;
  const answerOnce = createIdempotencyStep(idempotencyRecords, pino({ level: 'silent' }));
  const create = async () => {
    const context = changeContext({ reservedId: request.reservedId });
    const issue = await createIssue(
      { workspaceId: 1, title: 'a', description: '' },
      context,
      NOBODY,
    );
    return { status: 201, headers: {}, body: JSON.stringify(issue) };
  };
  const post = () => answerOnce(request, create, async () => undefined);
  expect(await commandsOf(post)).toEqual(['findAndModify', 'insert', 'update']);
  expect(await commandsOf(post)).toEqual(['findAndModify']);
});
