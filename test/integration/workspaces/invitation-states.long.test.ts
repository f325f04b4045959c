import fc from 'fast-check';
import { isAbove, ROLES, type Role } from '../../../contract/access-rule.ts';
import { Problem } from '../../../contract/problem.ts';
import { InvitationModel } from '../../../models/invitation.model.ts';
import { MemberModel } from '../../../models/member.model.ts';
import { WorkspaceModel } from '../../../models/workspace.model.ts';
import { acceptInvitation } from '../../../services/workspaces/invitations/accept-invitation.ts';
import {
  declineInvitation,
  resendInvitation,
  revokeInvitation,
} from '../../../services/workspaces/invitations/end-invitation.ts';
import { revokeInvitationsOfFormerMembers } from '../../../services/workspaces/invitations/former-members.ts';
import { invitations } from '../../../services/workspaces/invitations/invitations.store.ts';
import { invite } from '../../../services/workspaces/invitations/invite.ts';
import { showInvitation } from '../../../services/workspaces/invitations/show-invitation.ts';
import { SYSTEM } from '../../../services/workspaces/members/authority.ts';
import { changeRole } from '../../../services/workspaces/members/change-role.ts';
import { findRole } from '../../../services/workspaces/members/find-role.ts';
import { removeMember } from '../../../services/workspaces/members/remove-member.ts';
import { notPending } from '../../../services/workspaces/workspaces.problems.ts';
import { changeContext } from '../../helpers/change-context.ts';
import { useDatabase } from '../../helpers/database.ts';
import { FakeDirectory, memberChange, newWorkspace } from './fixtures.ts';

/** Ada is OWNER for ever; the others come and go. */
const ADA = 1;
const OTHERS = [2, 3, 4] as const;
const directory = new FakeDirectory();
for (const id of [ADA, ...OTHERS]) directory.add(id);
const emailOf = (userId: number) => `user-${userId}@example.com`;

useDatabase([WorkspaceModel, MemberModel, InvitationModel]);

const person = fc.constantFrom(...OTHERS);
const role = fc.constantFrom(...ROLES);
const step = fc.oneof(
  fc.record({
    kind: fc.constant('invite' as const),
    by: fc.constantFrom(ADA, ...OTHERS),
    to: person,
    role,
  }),
  fc.record({
    kind: fc.constant('resend' as const),
    by: fc.constantFrom(ADA, ...OTHERS),
    to: person,
  }),
  fc.record({ kind: fc.constant('accept' as const), to: person }),
  fc.record({ kind: fc.constant('accept' as const), to: person }),
  fc.record({
    kind: fc.constant('acceptByToken' as const),
    by: person,
    to: person,
    isLatest: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('decline' as const), to: person }),
  fc.record({ kind: fc.constant('revoke' as const), to: person }),
  fc.record({ kind: fc.constant('expire' as const), to: person }),
  fc.record({ kind: fc.constant('remove' as const), to: person }),
  fc.record({ kind: fc.constant('changeRole' as const), to: person, role }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** The newest invitation of an address, as the interface describes it. */
interface Known {
  id: number;
  status: 'PENDING' | 'ACCEPTED' | 'DECLINED' | 'REVOKED' | 'EXPIRED';
  role: Role;
  by: number;
  version: number;
}

class Model {
  readonly roles = new Map<number, Role>([[ADA, 'OWNER']]);
  readonly known = new Map<number, Known>();

  mayInvite(by: number, invited: Role): boolean {
    const own = this.roles.get(by);
    return (own === 'OWNER' || own === 'ADMIN') && !isAbove(invited, own);
  }

  /** The invitation's end by `status`, unless it is not pending. */
  end(to: number, status: Known['status']): boolean {
    const known = this.known.get(to);
    if (known?.status !== 'PENDING') return false;
    known.status = status;
    return true;
  }

  accept(user: number, to: number): boolean {
    const known = this.known.get(to);
    if (known?.status !== 'PENDING') return false;
    if (!this.mayInvite(known.by, known.role)) {
      known.status = 'REVOKED';
      return false;
    }
    if (this.roles.has(user)) return false;
    known.status = 'ACCEPTED';
    this.roles.set(user, known.role);
    return true;
  }

  remove(user: number): boolean {
    if (!this.roles.delete(user)) return false;
    this.end(user, 'REVOKED');
    for (const [to, { by }] of this.known) if (by === user) this.end(to, 'REVOKED');
    return true;
  }
}

let workspaceId: number;

const call = (by: number) => ({
  directory,
  roleOfAccount: async () => null,
  context: changeContext({
    actor: { type: 'person', id: by, name: 'A' },
    audit: { resource: 'invitation' },
  }),
});
const authority = (userId: number, own: Role) => ({ kind: 'person', userId, role: own }) as const;
const get = async (id: number) => {
  const found = await invitations.find(id);
  if (!found) throw new Error(`there is no invitation ${id}`);
  return found;
};
const userOf = (id: number) => directory.users.get(id) ?? directory.add(id);

/** Whether the step succeeds; an expected failure is false, and every other one is thrown. */
async function succeeds(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (error instanceof Problem && error.code < 500) return false;
    throw error;
  }
}

/** Does a step in the model and in the service. Returns both outcomes; null where the access check refuses the step. */
async function take(model: Model, given: Step): Promise<[boolean, boolean] | null> {
  const known = model.known.get(given.to);
  const own = 'by' in given ? model.roles.get(given.by) : undefined;
  const change = memberChange(SYSTEM, directory);
  const userEmail = emailOf(given.to);
  switch (given.kind) {
    case 'invite': {
      if (own !== 'OWNER' && own !== 'ADMIN') return null;
      const expected = model.mayInvite(given.by, given.role) && !model.roles.has(given.to);
      const invited = { workspaceId, email: userEmail, role: given.role };
      let id = 0;
      const inviting = invite(invited, {
        ...call(given.by),
        authority: authority(given.by, own),
        quota: 50,
      }).then((answer) => (id = answer.id));
      const done = await succeeds(inviting);
      if (done) {
        const isRenewed = known?.status === 'PENDING' || known?.status === 'EXPIRED';
        if (isRenewed) expect(id).toBe(known.id);
        const version = isRenewed ? known.version + 1 : 1;
        model.known.set(given.to, {
          id,
          status: 'PENDING',
          role: given.role,
          by: given.by,
          version,
        });
      }
      return [expected, done];
    }
    case 'changeRole': {
      const expected = model.roles.has(given.to);
      if (expected) model.roles.set(given.to, given.role);
      return [
        expected,
        await succeeds(changeRole({ workspaceId, userEmail, role: given.role }, change)),
      ];
    }
    case 'remove': {
      const done = await succeeds(removeMember({ workspaceId, userEmail }, change));
      if (done) {
        const at = new Date().toISOString();
        const departure = { id: 'x', at, workspaceId, userId: given.to, givenTo: userEmail };
        await revokeInvitationsOfFormerMembers([departure], directory);
      }
      return [model.remove(given.to), done];
    }
  }
  if (!known) return null;
  const invitation = await get(known.id);
  switch (given.kind) {
    case 'resend': {
      if (own !== 'OWNER' && own !== 'ADMIN') return null;
      const resending = resendInvitation(invitation, {
        ...call(given.by),
        authority: authority(given.by, own),
      });
      return [known.status === 'PENDING' && !isAbove(known.role, own), await succeeds(resending)];
    }
    case 'accept': {
      const acceptance = { user: userOf(given.to), assertRight: () => undefined };
      const done = await succeeds(acceptInvitation(invitation, acceptance, call(given.to)));
      return [model.accept(given.to, given.to), done];
    }
    case 'acceptByToken': {
      const version = given.isLatest ? known.version : known.version - 1;
      const assertRight = ({ tokenVersion }: { tokenVersion: number }) => {
        if (tokenVersion !== version) throw notPending('replaced');
      };
      const acceptance = { user: userOf(given.by), assertRight };
      const done = await succeeds(acceptInvitation(invitation, acceptance, call(given.by)));
      return [given.isLatest && model.accept(given.by, given.to), done];
    }
    case 'decline':
      return [
        model.end(given.to, 'DECLINED'),
        await succeeds(declineInvitation(invitation, call(given.to))),
      ];
    case 'revoke':
      return [
        model.end(given.to, 'REVOKED'),
        await succeeds(revokeInvitation(invitation, call(ADA))),
      ];
    case 'expire':
      await InvitationModel.updateOne({ _id: known.id }, { expiresAt: new Date(0) });
      model.end(given.to, 'EXPIRED');
      return null;
  }
}

async function assertEqual(model: Model): Promise<void> {
  for (const userId of [ADA, ...OTHERS]) {
    const { role: stored } = await findRole(userId, workspaceId, directory);
    expect([userId, stored]).toEqual([userId, model.roles.get(userId) ?? null]);
  }
  for (const [to, { id, status, role: invited, by }] of model.known) {
    const shown = await showInvitation(await get(id), 'Workspace', directory);
    expect([to, shown.status, shown.role, shown.invitedBy.id]).toEqual([to, status, invited, by]);
    const live = await InvitationModel.countDocuments({ email: emailOf(to), live: true });
    expect(live).toBeLessThanOrEqual(1);
  }
}

test('every sequence of steps by several people leaves what the interface describes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 25, size: 'max' }),
      async (steps) => {
        for (const model of [WorkspaceModel, MemberModel, InvitationModel]) {
          await model.collection.deleteMany({});
        }
        workspaceId = await newWorkspace(ADA);
        const model = new Model();
        for (const given of steps) {
          const outcome = await take(model, given);
          if (outcome) expect([given.kind, outcome[1]]).toEqual([given.kind, outcome[0]]);
          await assertEqual(model);
        }
      },
    ),
    { numRuns: 20 },
  );
}, 300_000);
