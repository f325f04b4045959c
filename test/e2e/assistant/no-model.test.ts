import { e2e } from '../../fixtures/e2e.ts';
import type { ProblemBody } from '../../helpers/http.ts';
import { runToEnd } from '../../helpers/runs.ts';

const { owner, workspace } = e2e({ own: true });

it('keeps conversations without a model, and refuses messages before anything is stored', async () => {
  const begun = await owner.call<{ id: number }>('POST', '/agent/conversations', {
    body: { workspaceId: workspace.id },
  });
  expect(begun.status).toBe(201);
  const path = `/agent/conversations/${begun.body.id}`;
  const said = await owner.call<ProblemBody>('POST', `${path}/messages`, {
    body: { content: 'Hello' },
  });
  expect([said.status, said.body.code]).toEqual([503, 'AGENT_NOT_CONFIGURED']);
  const { body } = await owner.call<{ messages: unknown[]; title: null }>('GET', path);
  expect([body.messages, body.title]).toEqual([[], null]);
  expect((await owner.call('DELETE', path)).status).toBe(204);
});

it('fails a flow that asks the agent', async () => {
  const withPrompt = { prompt: `Say \${ $input.nothing }`, schema: { type: 'object' } };
  const content = { do: [{ ask: { call: 'agent', with: withPrompt } }] };
  const run = await runToEnd(owner, await workspace.flow(JSON.stringify(content)));
  expect(run).toMatchObject({
    status: 'FAILED',
    error: {
      type: 'https://serverlessworkflow.io/spec/1.0.0/errors/runtime',
      status: 503,
      title: 'AGENT_NOT_CONFIGURED',
      instance: '/do/0/ask',
    },
  });
});
