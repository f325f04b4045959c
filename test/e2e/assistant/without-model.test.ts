import type { ProblemBody } from '../../helpers/http.ts';
import { createWorkspace, registerVerified } from '../../helpers/people.ts';
import { startServer, stopServers } from '../../helpers/server.ts';

afterAll(stopServers);

it('without a model a message is refused before anything is stored, and everything else works', async () => {
  const { url } = await startServer();
  const owner = await registerVerified(url, 'Owner');
  const workspaceId = await createWorkspace(owner);
  const { body } = await owner.call<{ id: number }>('POST', '/agent/conversations', {
    body: { workspaceId },
  });
  const path = `/agent/conversations/${body.id}`;
  const refused = await owner.call<ProblemBody>('POST', `${path}/messages`, {
    body: { content: 'Hello' },
  });
  expect([refused.status, refused.body.code]).toEqual([503, 'AGENT_NOT_CONFIGURED']);
  const { body: read } = await owner.call<{ messages: object[]; title: string | null }>(
    'GET',
    path,
  );
  expect([read.messages, read.title]).toEqual([[], null]);
  expect((await owner.call('DELETE', path)).status).toBe(204);
});
