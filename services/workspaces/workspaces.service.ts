import type { Context, ServiceBroker, ServiceSchema } from 'moleculer';
import { actorOf, asSystem } from '../../contract/caller.ts';
import { environment } from '../../environment/environment.ts';
import { Database } from '../../mixins/database/database.ts';
import { logSecurityEvent } from '../../mixins/security-log.ts';
import { Sweep } from '../../mixins/sweep.ts';
import { MemberModel } from '../../models/member.model.ts';
import { WorkspaceModel } from '../../models/workspace.model.ts';
import { type Ctx, implement } from '../contracts.ts';
import { allRoutes } from '../routes.ts';
import { createWorkspace } from './create-workspace.ts';
import { isNamed, listWorkspaces, workspaceIdsOf } from './list-workspaces.ts';
import { addMember, type NewMember } from './members/add-member.ts';
import { type Authority, authorityOf, personOf, roleOfCaller } from './members/authority.ts';
import { changeRole, type RoleChange } from './members/change-role.ts';
import { confirmMemberships } from './members/confirm.ts';
import { type DepartureNews, sweepDepartures, tellDepartures } from './members/departures.ts';
import { listMembers } from './members/list-members.ts';
import { type People, peopleOf } from './members/people.ts';
import { removeMember } from './members/remove-member.ts';
import { roleOf } from './members/role-of.ts';
import type { UserWorkspace } from './members/show-member.ts';
import { operationsFor } from './permissions.ts';
import { shareOwnerOf } from './share-owner.ts';
import { getWorkspace, renameWorkspace } from './workspace.ts';
import { workspacesContract } from './workspaces.contract.ts';

/** Milliseconds between two looks for departures that have not been told. */
const DEPARTURES_EVERY_MS = 60_000;

const tellIdentity = (broker: ServiceBroker) => (news: DepartureNews) =>
  broker.call('identity.memberLeft', news, asSystem('workspaces'));

type Announcer = Pick<Context, 'broadcast'>;

/** Every node drops the role that it remembers. */
async function announce(ctx: Announcer, userId: number, workspaceIds: number[]): Promise<void> {
  for (const workspaceId of workspaceIds) {
    await ctx.broadcast('member.changed', { workspaceId, userId });
  }
}

/** Carries out a change of members. Whatever becomes of it, those whom it touched are announced. */
async function changing<T>(
  ctx: Ctx<{ workspaceId: number }>,
  change: (by: Authority, people: People, touching: (userId: number) => void) => Promise<T>,
): Promise<T> {
  const touched = new Set<number>();
  try {
    return await change(authorityOf(ctx), peopleOf(ctx), (userId) => touched.add(userId));
  } finally {
    for (const userId of touched) await announce(ctx, userId, [ctx.params.workspaceId]);
  }
}

async function remove(ctx: Ctx<{ workspaceId: number; userEmail: string }>): Promise<null> {
  const { workspaceId, userEmail } = ctx.params;
  const removed = await changing(ctx, (...means) => removeMember(workspaceId, userEmail, ...means));
  logSecurityEvent('member.removed', ctx, { workspaceId, ...removed });
  // Nobody waits for the mail that follows; what fails here is told by the sweep.
  tellDepartures(workspaceId, tellIdentity(ctx.broker)).catch(() => undefined);
  return null;
}

async function add(ctx: Ctx<NewMember>): Promise<UserWorkspace> {
  const added = await changing(ctx, (...means) => addMember(ctx.params, ...means));
  const { workspaceId, userId, role } = added;
  logSecurityEvent('member.added', ctx, { workspaceId, userId, role });
  return added;
}

async function giveRole(ctx: Ctx<RoleChange>): Promise<UserWorkspace> {
  const { membership, from } = await changing(ctx, (...means) => changeRole(ctx.params, ...means));
  const { workspaceId, userId, role } = membership;
  if (role !== from) {
    logSecurityEvent('member.role-changed', ctx, { workspaceId, userId, from, to: role });
  }
  return membership;
}

/** Workspaces, their members and what each of them may do. */
export function workspacesService(): ServiceSchema {
  return {
    name: 'workspaces',
    mixins: [
      Database(WorkspaceModel, MemberModel) as ServiceSchema,
      Sweep(DEPARTURES_EVERY_MS, (broker) =>
        sweepDepartures(tellIdentity(broker)),
      ) as ServiceSchema,
    ],
    actions: implement(workspacesContract, {
      async list(ctx) {
        const { caller } = ctx.meta;
        if (caller.kind !== 'person') return { items: [], after: null }; // who is a member nowhere
        const { userId } = caller;
        const { page, confirmed } = await listWorkspaces(userId, ctx.params, peopleOf(ctx));
        await announce(ctx, userId, confirmed);
        return page;
      },
      create(ctx) {
        const { WORKSPACES_PER_PERSON: quota } = environment;
        return createWorkspace(ctx.params.name, personOf(ctx), actorOf(ctx.meta.caller), quota);
      },
      get: (ctx) => getWorkspace(ctx.params.id),
      rename: (ctx) => renameWorkspace(ctx.params.id, ctx.params.name),
      listMembers: (ctx) => listMembers(ctx.params.workspaceId, ctx.params, peopleOf(ctx)),
      addMember: add,
      removeMember: remove,
      removeMemberByBody: remove,
      changeRole: giveRole,
      permissions(ctx) {
        const role = roleOfCaller(ctx);
        return { role, operations: operationsFor(role, allRoutes()) };
      },
      async roleOf(ctx) {
        const { userId, workspaceId } = ctx.params;
        const { role, confirmed } = await roleOf(userId, workspaceId, peopleOf(ctx));
        await announce(ctx, userId, confirmed);
        return { role };
      },
      namesUser: async (ctx) => ({ named: await isNamed(ctx.params.userId) }),
      async workspacesOf(ctx) {
        const { userId } = ctx.params;
        const { workspaceIds, confirmed } = await workspaceIdsOf(userId, peopleOf(ctx));
        await announce(ctx, userId, confirmed);
        return { workspaceIds };
      },
      shareOwner: async (ctx) => ({
        owner: await shareOwnerOf(ctx.params.workspaceId, peopleOf(ctx)),
      }),
    }),
    events: {
      async 'user.verified'(ctx: Ctx<{ userId: number }>) {
        const { userId } = ctx.params;
        await announce(ctx, userId, await confirmMemberships(userId, peopleOf(ctx)));
      },
    },
  };
}
