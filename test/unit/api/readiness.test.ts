import { build } from '../../../environment/build.ts';
import { type Dependencies, readiness } from '../../../services/api/readiness.ts';
import { SharedAnswer } from '../../../support/shared-answer.ts';

const UP: Dependencies = {
  database: 'up',
  nats: 'up',
  api: 'up',
  identity: 'up',
  workspaces: 'up',
  issues: 'up',
};
const shared = (other: Dependencies) => new SharedAnswer(async () => ({ ...UP, ...other }), 1_000);

describe('a gateway is', () => {
  it('ready while all that it needs is up, and names a service that is down', async () => {
    const answer = await readiness(shared({ issues: 'down' }), false);
    expect(answer).toEqual({ status: 'up', dependencies: { ...UP, issues: 'down' }, ...build });
  });

  it.each(['database', 'nats', 'identity', 'workspaces'])('not ready without %s', async (name) => {
    await expect(readiness(shared({ [name]: 'down' }), false)).rejects.toMatchObject({
      code: 503,
      type: 'NOT_READY',
      message: `Down: ${name}.`,
      data: { retryAfter: 1, members: { dependencies: { ...UP, [name]: 'down' }, ...build } },
    });
  });

  it('not ready while the disk of the database is full, and names what is down besides', async () => {
    const answer = readiness(shared({ database: 'full', issues: 'down' }), false);
    await expect(answer).rejects.toMatchObject({
      type: 'NOT_READY',
      message: 'Down: issues. Disk full: database.',
    });
  });

  it('not ready once it stops', async () => {
    await expect(readiness(shared({}), true)).rejects.toMatchObject({ type: 'NOT_READY' });
  });
});
