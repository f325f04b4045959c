import { mongo } from 'mongoose';
import type { Role } from '../../../contract/access-rule.ts';
import { MemberModel } from '../../../models/member.model.ts';
import { WorkspaceModel } from '../../../models/workspace.model.ts';
import { createWorkspace } from '../../../services/workspaces/create-workspace.ts';
import { addMember } from '../../../services/workspaces/members/add-member.ts';
import type { Authority } from '../../../services/workspaces/members/authority.ts';
import { changeRole } from '../../../services/workspaces/members/change-role.ts';
import { findRole } from '../../../services/workspaces/members/find-role.ts';
import type { MemberChange } from '../../../services/workspaces/members/member-change.ts';
import { removeMember } from '../../../services/workspaces/members/remove-member.ts';
import type { User, UserDirectory } from '../../../services/workspaces/members/user-directory.ts';
import { changeContext } from '../../helpers/change-context.ts';
import { useDatabase } from '../../helpers/database.ts';

/** Gives the tests of a file a database of workspaces and members. Mocks end with their test. */
export function useWorkspaces(): void {
  useDatabase([WorkspaceModel, MemberModel]);
  afterEach(() => jest.restoreAllMocks());
}

/** Ada makes the workspaces and is their OWNER; Bob joins them. */
export const [ADA, BOB] = [1, 2] as const;
export const emailOf = (userId: number): string => `user-${userId}@example.com`;

/** A directory whose users the test adds. */
export class FakeDirectory implements UserDirectory {
  readonly users = new Map<number, User>();

  add(id: number, emailVerified = true): User {
    const user = {
      id,
      email: emailOf(id),
      firstName: 'User',
      lastName: `${id}`,
      emailVerified,
    };
    this.users.set(id, user);
    return user;
  }

  async byIds(ids: readonly number[]): Promise<Map<number, User>> {
    return new Map([...this.users].filter(([id]) => ids.includes(id)));
  }

  async byEmail(email: string): Promise<User | null> {
    return [...this.users.values()].find((user) => user.email === email) ?? null;
  }
}

/** What use cases that change members need, by a request of the authority. */
export const memberChange = (authority: Authority, directory: UserDirectory): MemberChange => ({
  authority,
  directory,
  context: changeContext({ operation: 'workspaces.test', audit: { resource: 'member' } }),
  markAffected: () => undefined,
});

/** Gives the tests of a file workspaces, a directory with Ada and Bob, and changes of Bob's membership that Ada makes. */
export function useBob() {
  useWorkspaces();
  const directory = new FakeDirectory();
  for (const id of [ADA, BOB]) directory.add(id);
  const change = memberChange({ kind: 'person', userId: ADA, role: 'OWNER' }, directory);
  const userEmail = emailOf(BOB);
  return {
    directory,
    change,
    add: (workspaceId: number, role: Role) => addMember({ workspaceId, userEmail, role }, change),
    give: (workspaceId: number, role: Role) => changeRole({ workspaceId, userEmail, role }, change),
    remove: (workspaceId: number) => removeMember({ workspaceId, userEmail }, change),
    roleIn: async (workspaceId: number) => (await findRole(BOB, workspaceId, directory)).role,
  };
}

/** Creates a workspace of a person, without a quota unless one is given. */
export async function newWorkspace(ownerId: number, quota: number | null = null): Promise<number> {
  const actor = { type: 'person', id: ownerId, name: 'Owner' } as const;
  const context = changeContext({ actor, audit: { resource: 'workspace' } });
  return (await createWorkspace({ name: 'Workspace', ownerId, quota }, context))._id;
}

const WRITES = ['insertOne', 'insertMany', 'findOneAndUpdate', 'updateOne', 'deleteOne'] as const;
export const CUT_OFF = 'the process was cut off';

/** Lets `writes` writes through and fails all later ones, as when the process ended there. */
export function cutOffAfter(writes: number): void {
  let left = writes;
  const collection = mongo.Collection.prototype as unknown as Record<string, Write>;
  for (const write of WRITES) {
    const original = collection[write] as Write;
    jest.spyOn(collection, write).mockImplementation(async function (this: unknown, ...args) {
      if (left-- <= 0) throw new Error(CUT_OFF);
      return original.apply(this, args);
    });
  }
}

type Write = (...args: unknown[]) => Promise<unknown>;
