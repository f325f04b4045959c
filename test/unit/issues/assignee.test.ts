import { ServiceBroker } from 'moleculer';
import { assigneesOf, directoryOf, userFinder } from '../../../services/issues/assignee.ts';

const userOf = (id: number) => ({
  id,
  email: `user-${id}@example.com`,
  firstName: 'User',
  lastName: `${id}`,
});

/** A directory on a broker whose identity service has the users 1 to 9, and the ids that it is asked for. */
function directoryWithCalls() {
  const calls: number[][] = [];
  const broker = new ServiceBroker({ logger: false });
  broker.createService({
    name: 'identity',
    actions: {
      usersByIds(ctx: { params: { ids: number[] } }) {
        const { ids } = ctx.params;
        calls.push(ids);
        const users = ids.filter((id) => id < 10).map(userOf);
        return { users: users.map((user) => ({ ...user, emailVerified: true })) };
      },
    },
  });
  const directory = directoryOf({ call: broker.call.bind(broker) as never }, userFinder(broker));
  return { broker, calls, directory };
}

describe('the assignees of issues', () => {
  const { broker, calls, directory } = directoryWithCalls();
  beforeAll(() => broker.start());
  afterAll(() => broker.stop());
  beforeEach(() => void calls.splice(0));

  it('are asked for in one call by the requests of one turn, each once', async () => {
    const issues = [{ assignedUserId: 1 }, { assignedUserId: 2 }, { assignedUserId: 1 }];
    const all = await Promise.all(issues.map((issue) => assigneesOf([issue], directory)));
    expect(calls).toEqual([[1, 2]]);
    expect(all.map((assigneeOf, at) => assigneeOf(issues[at]?.assignedUserId ?? 0))).toEqual(
      [1, 2, 1].map(userOf),
    );
  });

  it('need no call when nobody is assigned', async () => {
    await assigneesOf([{ assignedUserId: null }], directory);
    expect(calls).toEqual([]);
  });

  it('stay as deleted users when identity does not know them', async () => {
    const assigneeOf = await assigneesOf(
      [{ assignedUserId: 99 }, { assignedUserId: 3 }],
      directory,
    );
    expect(assigneeOf(99)).toMatchObject({ id: 99 });
    expect(assigneeOf(3)).toEqual(userOf(3));
  });
});
