import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedMongo } from '@workspace-automation/embedded-mongo';
import { connectDatabase, disconnectDatabase } from '../../../mixins/database/database.ts';
import { MemberModel } from '../../../models/member.model.ts';
import { WorkspaceModel } from '../../../models/workspace.model.ts';
import type { User, UserDirectory } from '../../../services/workspaces/members/user-directory.ts';

/** A database of the test's own, this process connected to it; answers how to end it. */
export async function testDatabase(): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'workspaces-'));
  const database = await startEmbeddedMongo({ folder });
  await connectDatabase(database.uri);
  await WorkspaceModel.createIndexes();
  await MemberModel.createIndexes();
  return async () => {
    await disconnectDatabase();
    await database.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}

/** A directory whose users the test adds. */
export class FakeDirectory implements UserDirectory {
  readonly users = new Map<number, User>();

  add(id: number, emailVerified = true): User {
    const user = {
      id,
      email: `user-${id}@example.com`,
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

const WRITES = ['create', 'updateOne', 'deleteOne'] as const;
export const CUT_OFF = 'the process was cut off';

/** Lets `writes` writes through and fails all later ones, as when the process ended there. */
export function cutOffAfter(writes: number): void {
  let left = writes;
  for (const model of [WorkspaceModel, MemberModel]) {
    for (const write of WRITES) {
      const original = model[write].bind(model) as (...args: unknown[]) => unknown;
      jest
        .spyOn(model as unknown as Record<string, (...args: unknown[]) => unknown>, write)
        .mockImplementation((...args) => {
          if (left-- <= 0) throw new Error(CUT_OFF);
          return original(...args);
        });
    }
  }
}
