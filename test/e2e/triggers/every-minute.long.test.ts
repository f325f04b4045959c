import { createWorkspace, registerVerified } from '../../helpers/people.ts';
import { createFlow, type RunAnswer } from '../../helpers/runs.ts';
import { sharedServer, stopServers } from '../../helpers/server.ts';
import { waitFor } from '../../helpers/wait.ts';

afterAll(stopServers);

test('the next minute starts one run, in the name of the schedule', async () => {
  const { url } = await sharedServer();
  const ada = await registerVerified(url);
  const copy = 'do: [{ copy: { set: { x: 1 } } }]';
  const flow = await createFlow(ada, await createWorkspace(ada), copy);
  const times = { cron: '* * * * *', timeZone: 'UTC', misfire: 'SKIP', overlap: 'ALLOW' };
  const { body } = await ada.call<{ id: number; nextAt: string[] }>(
    'POST',
    `/flows/${flow}/schedules`,
    { body: { ...times, input: { x: 1 } } },
  );
  const [run] = await waitFor(
    'the run of the next minute',
    async () => {
      const path = `/flows/${flow}/runs`;
      const runs = (await ada.call<(RunAnswer & { startedBy: object })[]>('GET', path)).body;
      return runs.length > 0 && runs;
    },
    70_000,
  );
  expect(run).toMatchObject({
    input: { x: 1 },
    startedBy: { type: 'system', id: body.id, name: 'schedule' },
  });
  expect(Date.parse(run?.createdAt ?? '')).toBeGreaterThanOrEqual(Date.parse(body.nextAt[0] ?? ''));
});
