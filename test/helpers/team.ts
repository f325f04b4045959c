import type { Answer, ProblemBody } from './http.ts';
import { addMember, createWorkspace, type Person, registerVerified } from './people.ts';

export interface Membership {
  userId: number;
  role: string;
  joinedAt: string;
  updatedAt: string;
}
export interface Listed {
  id: number;
  email: string;
  role: string;
  pending: boolean;
}

/** A workspace and the operations on its members. */
export interface Team {
  id: number;
  owner: Person;
  /** Somebody new with that role. */
  somebody(role: string): Promise<Person>;
  add(by: Person, userEmail: string, role: string): Promise<Answer<Membership & ProblemBody>>;
  changeRole(
    by: Person,
    userEmail: string,
    role: string,
  ): Promise<Answer<Membership & ProblemBody>>;
  remove(by: Person, userEmail: string): Promise<Answer<ProblemBody>>;
  removeByBody(by: Person, userEmail: string): Promise<Answer<ProblemBody>>;
  members(by?: Person): Promise<Listed[]>;
  roleOf(who: Person): Promise<string | undefined>;
  /** Returns the status of a person's request for the workspace. */
  sees(who: Person): Promise<number>;
}

export async function newTeam(base: string): Promise<Team> {
  const owner = await registerVerified(base, 'Owner');
  const id = await createWorkspace(owner);
  const users = `/workspaces/${id}/users`;
  const members = async (by = owner) => (await by.call<Listed[]>('GET', users)).body;
  return {
    id,
    owner,
    members,
    somebody: (role) => addMember(base, owner, id, role),
    add: (by, userEmail, role) => by.call('POST', users, { query: { userEmail, role } }),
    changeRole: (by, userEmail, role) =>
      by.call('PUT', `${users}/role`, { query: { userEmail, role } }),
    remove: (by, userEmail) => by.call('DELETE', users, { query: { userEmail } }),
    removeByBody: (by, userEmail) => by.call('POST', `${users}/remove`, { body: { userEmail } }),
    roleOf: async (who) => (await members()).find((member) => member.id === who.id)?.role,
    sees: async (who) => (await who.call('GET', `/workspaces/${id}`)).status,
  };
}
