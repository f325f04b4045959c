import { setTimeout as sleep } from 'node:timers/promises';
import type { Role } from './mongo-roles.ts';

type Command = Record<string, unknown>;

/** One MongoDB server. A command that it refuses rejects with an error that has a `code`. */
export interface Server {
  command(database: string, command: Command): Promise<Record<string, unknown>>;
}

/** The replica set and the users to make. */
export interface Wanted {
  set: string;
  /** The members as `host:port`. The first member is set up and preferred as primary. */
  members: readonly string[];
  adminPassword: string;
  users: readonly User[];
}

/** A user of the database. It has one role and no other rights. */
export interface User {
  name: string;
  password: string;
  role: Role;
}

/** MongoDB's code for a command without the necessary rights. */
const UNAUTHORIZED = 13;
/** MongoDB's code for a replica set that exists already. */
const ALREADY_INITIALIZED = 23;
/** MongoDB's code for a user that exists already. */
const USER_EXISTS = 51_003;
/** MongoDB's code for a role that exists already. */
const ROLE_EXISTS = 51_002;

/**
 * Makes the replica set and its users on the first member, over a local connection, which needs no rights while there is
 * no user. `signIn` connects as the administrator. Existing objects stay, but the passwords and rights of `users` are set.
 * Rejects when a server cannot be reached yet; the caller must then try again.
 */
export async function setUp(
  wanted: Wanted,
  server: Server,
  signIn: (user: string, password: string) => Promise<Server>,
  patience = { times: 60, everyMs: 500 },
): Promise<void> {
  await makeSet(wanted, server);
  await untilPrimary(server, patience);
  await makeAdmin(wanted.adminPassword, server);
  await makeUsers(wanted.users, await signIn('admin', wanted.adminPassword));
}

/** Makes users and their roles. The passwords and rights of users that exist already are set. */
export async function makeUsers(users: readonly User[], admin: Server): Promise<void> {
  for (const user of users) {
    await makeRole(user.role, admin);
    await makeUser(user, admin);
  }
}

async function makeSet({ set, members }: Wanted, server: Server): Promise<void> {
  const { setName } = await server.command('admin', { hello: 1 });
  if (setName) return;
  const config = {
    _id: set,
    // The first user can be made only on this member and only on a primary, so this member has the highest priority.
    members: members.map((host, _id) => ({ _id, host, priority: _id === 0 ? 2 : 1 })),
  };
  await server.command('admin', { replSetInitiate: config }).catch(unless(ALREADY_INITIALIZED));
}

async function untilPrimary(
  server: Server,
  { times, everyMs }: { times: number; everyMs: number },
): Promise<void> {
  for (let asked = 0; asked < times; asked++) {
    const { isWritablePrimary } = await server.command('admin', { hello: 1 });
    if (isWritablePrimary) return;
    await sleep(everyMs);
  }
  throw new Error('the first member has not become the primary');
}

/** Makes the administrator. MongoDB refuses this when a user exists: without rights only the first user can be made. */
async function makeAdmin(password: string, server: Server): Promise<void> {
  await server
    .command('admin', { createUser: 'admin', pwd: password, roles: ['root'] })
    .catch(unless(USER_EXISTS, UNAUTHORIZED));
}

async function makeRole({ name, privileges, roles = [] }: Role, server: Server): Promise<void> {
  const rights = { privileges, roles };
  try {
    await server.command('admin', { createRole: name, ...rights });
  } catch (error) {
    unless(ROLE_EXISTS)(error);
    await server.command('admin', { updateRole: name, ...rights });
  }
}

async function makeUser({ name, password, role }: User, server: Server): Promise<void> {
  const rights = { pwd: password, roles: [role.name] };
  try {
    await server.command('admin', { createUser: name, ...rights });
  } catch (error) {
    unless(USER_EXISTS)(error);
    await server.command('admin', { updateUser: name, ...rights });
  }
}

/** Returns a function that rethrows an error, unless its code is one of the given codes. */
const unless =
  (...codes: readonly number[]) =>
  (error: unknown): void => {
    if (!codes.includes((error as { code?: number }).code ?? 0)) throw error;
  };
