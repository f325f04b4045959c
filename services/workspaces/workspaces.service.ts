import type { Context, ServiceSchema } from 'moleculer';
import type { Role } from '../../mixins/access-rule.ts';
import { actorOf } from '../../mixins/caller.ts';
import { Database } from '../../mixins/database.ts';
import { MemberModel } from '../../models/member.model.ts';
import { WorkspaceModel } from '../../models/workspace.model.ts';
import { type Ctx, implement } from '../contracts.ts';
import { allRoutes } from '../routes.ts';
import { addMember } from './add-member.ts';
import { authorityOf, personOf } from './authority.ts';
import { changeRole } from './change-role.ts';
import { confirmMemberships } from './confirm.ts';
import { createWorkspace } from './create-workspace.ts';
import { listMembers } from './list-members.ts';
import { listWorkspaces, workspaceIdsOf } from './list-workspaces.ts';
import { peopleOf } from './people.ts';
import { operationsFor } from './permissions.ts';
import { removeMember } from './remove-member.ts';
import { roleOf } from './role-of.ts';
import { getWorkspace, renameWorkspace } from './workspace.ts';
import { workspacesContract } from './workspaces.contract.ts';

type Announcer = Pick<Context, 'broadcast'>;

/** Every node drops the role that it remembers. */
async function announce(ctx: Announcer, userId: number, workspaceIds: number[]): Promise<void> {
  for (const workspaceId of workspaceIds) {
    await ctx.broadcast('member.changed', { workspaceId, userId });
  }
}

async function remove(ctx: Ctx<{ workspaceId: number; userEmail: string }>): Promise<null> {
  const { workspaceId, userEmail } = ctx.params;
  const userId = await removeMember(workspaceId, userEmail, authorityOf(ctx), peopleOf(ctx));
  await announce(ctx, userId, [workspaceId]);
  return null;
}

/** Workspaces, their members and what each of them may do. */
export function workspacesService(): ServiceSchema {
  return {
    name: 'workspaces',
    mixins: [Database(WorkspaceModel, MemberModel)],
    actions: implement(workspacesContract, {
      async list(ctx) {
        const { caller } = ctx.meta;
        if (caller.kind !== 'person') return { items: [], after: null }; // who is a member nowhere
        const { userId } = caller;
        const { page, confirmed } = await listWorkspaces(userId, ctx.params, peopleOf(ctx));
        await announce(ctx, userId, confirmed);
        return page;
      },
      create: (ctx) => createWorkspace(ctx.params.name, personOf(ctx), actorOf(ctx.meta.caller)),
      get: (ctx) => getWorkspace(ctx.params.id),
      rename: (ctx) => renameWorkspace(ctx.params.id, ctx.params.name),
      listMembers: (ctx) => listMembers(ctx.params.workspaceId, ctx.params, peopleOf(ctx)),
      async addMember(ctx) {
        const added = await addMember(ctx.params, authorityOf(ctx), peopleOf(ctx));
        await announce(ctx, added.userId, [added.workspaceId]);
        return added;
      },
      removeMember: remove,
      removeMemberByBody: remove,
      async changeRole(ctx) {
        const changed = await changeRole(ctx.params, authorityOf(ctx), peopleOf(ctx));
        await announce(ctx, changed.userId, [changed.workspaceId]);
        return changed;
      },
      permissions(ctx) {
        const role = (ctx.locals.role as Role | undefined) ?? 'OWNER';
        return { role, operations: operationsFor(role, allRoutes()) };
      },
      async roleOf(ctx) {
        const { userId, workspaceId } = ctx.params;
        const { role, confirmed } = await roleOf(userId, workspaceId, peopleOf(ctx));
        await announce(ctx, userId, confirmed);
        return { role };
      },
      async workspacesOf(ctx) {
        const { userId } = ctx.params;
        const { workspaceIds, confirmed } = await workspaceIdsOf(userId, peopleOf(ctx));
        await announce(ctx, userId, confirmed);
        return { workspaceIds };
      },
    }),
    events: {
      async 'user.verified'(ctx: Ctx<{ userId: number }>) {
        const { userId } = ctx.params;
        await announce(ctx, userId, await confirmMemberships(userId, peopleOf(ctx)));
      },
    },
  };
}
