import { e2e } from '../fixtures/e2e.ts';
import type { ProblemBody } from '../helpers/http.ts';
import { startRun } from '../helpers/runs.ts';

const TARGET = '10.1.2.3:8080';
const URL = `http://${TARGET}/orders`;
const REFUSAL = `${TARGET} is not a target that may be called: it is not on the public internet. An operator can allow it: OUTBOUND_ALLOW=${TARGET}.`;

const { owner, workspace } = e2e();

const messagesOf = (problem: ProblemBody) => problem.errors?.map(({ message }) => message);

test('a run that calls a private target says what an operator would allow', async () => {
  const file = `do:\n  - get: { call: http, with: { method: get, endpoint: '${URL}' } }\n`;
  const flowId = await workspace.flow(file);
  const { body } = await startRun(owner, flowId, { wait: 10_000 });
  expect(body.error).toMatchObject({ title: 'TARGET_REFUSED', detail: REFUSAL });
});

test('so does the test of a credential', async () => {
  const { body: credential } = await owner.call<{ id: number }>('POST', '/auth-credentials', {
    body: { workspaceId: workspace.id, name: 'Open', authType: 'NONE' },
  });
  const { status, body } = await owner.call<ProblemBody>(
    'POST',
    `/auth-credentials/${credential.id}/test`,
    { body: { url: URL } },
  );
  expect({ status, messages: messagesOf(body) }).toEqual({ status: 400, messages: [REFUSAL] });
});

test('so does a subscription to events', async () => {
  const { status, body } = await owner.call<ProblemBody>(
    'POST',
    `${workspace.path}/event-subscriptions`,
    { body: { url: URL, events: ['issue.created'] } },
  );
  expect({ status, messages: messagesOf(body) }).toEqual({ status: 400, messages: [REFUSAL] });
});
