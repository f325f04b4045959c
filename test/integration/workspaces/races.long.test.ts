import type { Role } from '../../../contract/access-rule.ts';
import { Problem } from '../../../contract/problem.ts';
import { WorkspaceModel } from '../../../models/workspace.model.ts';
import { addMember } from '../../../services/workspaces/members/add-member.ts';
import { changeRole } from '../../../services/workspaces/members/change-role.ts';
import { confirmMemberships } from '../../../services/workspaces/members/confirm-memberships.ts';
import { findRole } from '../../../services/workspaces/members/find-role.ts';
import { listMembers } from '../../../services/workspaces/members/list-members.ts';
import { removeMember } from '../../../services/workspaces/members/remove-member.ts';
import { randomOf } from '../../faults/random.ts';
import { FakeDirectory, memberChange, newWorkspace, useWorkspaces } from './fixtures.ts';
import { type Choice, holdRoundTrips, interleave } from './interleaving.ts';

const ROUNDS = 40;
/** Ada and Bob are OWNER, Dan is ADMIN; Cleo is what the case says. */
const [ADA, BOB, CLEO, DAN] = [1, 2, 3, 4] as const;
type Who = typeof ADA | typeof BOB | typeof CLEO | typeof DAN;

useWorkspaces();
beforeEach(holdRoundTrips);
afterEach(() => jest.restoreAllMocks());

interface Place {
  id: number;
  directory: FakeDirectory;
  affected: Set<number>;
}
type Doing = (place: Place) => Promise<unknown>;

const mailOf = (who: Who) => `user-${who}@example.com`;
const authority = (userId: Who) =>
  ({
    kind: 'person',
    userId,
    role: userId === DAN ? 'ADMIN' : userId === CLEO ? 'GUEST' : 'OWNER',
  }) as const;
const changeBy = (by: Who, { directory, affected }: Place) => ({
  ...memberChange(authority(by), directory),
  markAffected: (userId: number) => void affected.add(userId),
});

const add =
  (by: Who, who: Who, role: Role): Doing =>
  (place) =>
    addMember({ workspaceId: place.id, userEmail: mailOf(who), role }, changeBy(by, place));
const give =
  (by: Who, who: Who, role: Role): Doing =>
  (place) =>
    changeRole({ workspaceId: place.id, userEmail: mailOf(who), role }, changeBy(by, place));
const remove =
  (by: Who, who: Who): Doing =>
  (place) =>
    removeMember({ workspaceId: place.id, userEmail: mailOf(who) }, changeBy(by, place));
const leave = (who: Who): Doing => remove(who, who);
const verify: Doing = async ({ directory }) => {
  directory.add(CLEO, true);
  await confirmMemberships(CLEO, directory);
};

interface Case {
  what: string;
  /** Cleo's role; null for none. */
  cleo: Role | null;
  pending?: boolean;
  doings: Doing[];
  /** Which of them may make Cleo OWNER; the first unless said. */
  raising?: number[];
}
const cases: Case[] = [
  {
    what: 'a GUEST is made OWNER, is removed, and who does both leaves',
    cleo: 'GUEST',
    doings: [give(ADA, CLEO, 'OWNER'), remove(ADA, CLEO), leave(ADA)],
  },
  {
    what: 'a GUEST is made OWNER, is removed, and both owners leave',
    cleo: 'GUEST',
    doings: [give(ADA, CLEO, 'OWNER'), remove(BOB, CLEO), leave(ADA), leave(BOB)],
  },
  {
    what: 'a GUEST is made OWNER by an OWNER and removed by an ADMIN',
    cleo: 'GUEST',
    doings: [give(ADA, CLEO, 'OWNER'), remove(DAN, CLEO)],
  },
  {
    what: 'a GUEST is made OWNER and leaves, while the giver is removed',
    cleo: 'GUEST',
    doings: [give(ADA, CLEO, 'OWNER'), leave(CLEO), remove(BOB, ADA)],
  },
  {
    what: 'two owners demote one another',
    cleo: null,
    doings: [give(ADA, BOB, 'GUEST'), give(BOB, ADA, 'GUEST')],
  },
  {
    what: 'three owners leave',
    cleo: 'OWNER',
    doings: [leave(ADA), leave(BOB), leave(CLEO)],
  },
  {
    what: 'an OWNER is demoted, removed and added again',
    cleo: 'OWNER',
    doings: [give(ADA, CLEO, 'MEMBER'), remove(BOB, CLEO), add(ADA, CLEO, 'GUEST')],
  },
  {
    what: 'a MEMBER is removed twice and added as OWNER',
    cleo: 'MEMBER',
    doings: [remove(ADA, CLEO), remove(BOB, CLEO), add(ADA, CLEO, 'OWNER')],
    raising: [2],
  },
  {
    what: 'somebody is added as OWNER and as GUEST, while the first giver is removed',
    cleo: null,
    doings: [add(ADA, CLEO, 'OWNER'), add(BOB, CLEO, 'GUEST'), remove(BOB, ADA)],
  },
  {
    what: 'somebody is added as OWNER twice, while the first giver is removed',
    cleo: null,
    doings: [add(BOB, CLEO, 'OWNER'), add(ADA, CLEO, 'OWNER'), remove(BOB, ADA)],
    raising: [0, 1],
  },
  {
    what: 'who waits is made OWNER, verified and removed',
    cleo: 'GUEST',
    pending: true,
    doings: [give(ADA, CLEO, 'OWNER'), verify, remove(BOB, CLEO)],
  },
  {
    what: 'who waits is made OWNER and verified',
    cleo: 'GUEST',
    pending: true,
    doings: [give(ADA, CLEO, 'OWNER'), verify],
  },
  {
    what: 'who waits to be OWNER is demoted, verified, and the demoter removed',
    cleo: 'OWNER',
    pending: true,
    doings: [give(ADA, CLEO, 'GUEST'), verify, remove(BOB, ADA)],
    raising: [1],
  },
];

async function newPlace({ cleo, pending = false }: Case): Promise<Place> {
  const directory = new FakeDirectory();
  for (const who of [ADA, BOB, CLEO, DAN]) directory.add(who, who !== CLEO || !pending);
  const place = {
    id: await newWorkspace(ADA),
    directory,
    affected: new Set<number>(),
  };
  await add(ADA, BOB, 'OWNER')(place);
  await add(ADA, DAN, 'ADMIN')(place);
  if (cleo) await add(ADA, CLEO, cleo)(place);
  place.affected.clear();
  return place;
}

/** Which of the doings succeeded, and who is in the workspace then. */
async function outcome({ id, directory }: Place, succeeded: boolean[]): Promise<string> {
  for (const who of directory.users.keys()) await findRole(who, id, directory); // lets wait no longer what need not
  const { items } = await listMembers(id, { limit: 10 }, directory);
  const members = items.map(({ id: who, role, pending }) => `${who} ${role}${pending ? '?' : ''}`);
  return `${succeeded.map((yes) => (yes ? 'done' : 'refused')).join(' ')}: ${members.join(', ')}`;
}

/** Every outcome of doing it one after another, in whatever order. */
async function outcomesInTurn(given: Case): Promise<Set<string>> {
  const outcomes = new Set<string>();
  for (const order of permutations(given.doings.map((_, at) => at))) {
    const place = await newPlace(given);
    const succeeded: boolean[] = [];
    for (const at of order) {
      succeeded[at] = await (given.doings[at] as Doing)(place).then(() => true, refused);
    }
    outcomes.add(await outcome(place, succeeded));
  }
  return outcomes;
}

function refused(error: unknown): false {
  expect(error).toBeInstanceOf(Problem);
  return false;
}

const permutations = (of: number[]): number[][] =>
  of.length < 2
    ? [of]
    : of.flatMap((first) =>
        permutations(of.filter((one) => one !== first)).map((rest) => [first, ...rest]),
      );

const ownersOf = async (id: number) => (await WorkspaceModel.findById(id).lean())?.ownerIds ?? [];

describe.each(cases)('$what, at once:', (given) => {
  it('comes to what it could have come to in turn, and nobody is OWNER by what is refused', async () => {
    const possible = await outcomesInTurn(given);
    const random = randomOf(1);
    const choose: Choice = (many) => Math.floor(random() * many);
    for (let round = 0; round < ROUNDS; round++) {
      const place = await newPlace(given);
      const before = await ownersOf(place.id);
      const raised = new Set<number>();
      const ends = await interleave(
        given.doings.map((doing) => () => doing(place)),
        choose,
        async () => {
          const owners = await ownersOf(place.id);
          expect(owners).not.toEqual([]);
          for (const id of owners) if (!before.includes(id)) raised.add(id);
        },
      );
      const succeeded = ends.map((end) => end.status === 'fulfilled' || refused(end.reason));
      expect(possible).toContain(await outcome(place, succeeded));
      if (!(given.raising ?? [0]).some((at) => succeeded[at])) expect(raised).not.toContain(CLEO);
      if (succeeded.includes(true)) expect(place.affected).not.toEqual(new Set());
    }
  });
});
