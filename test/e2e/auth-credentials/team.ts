import type { Answer, ProblemBody } from '../../helpers/http.ts';
import { createWorkspace, type Person, registerVerified } from '../../helpers/people.ts';
import { sharedServer } from '../../helpers/server.ts';

export interface Credential {
  id: number;
  workspaceId: number;
  name: string;
  authType: string;
  allowedOrigins: string[];
  createdAt: string;
  updatedAt: string;
  lastUsedAt: string | null;
}

/** A workspace with its owner, who makes credentials in it. */
export interface Team {
  url: string;
  owner: Person;
  workspaceId: number;
  create(body: object): Promise<Answer<Credential & ProblemBody>>;
  update(body: object): Promise<Answer<Credential & ProblemBody>>;
  get(id: number): Promise<Answer<Credential & ProblemBody>>;
  list(): Promise<Credential[]>;
}

export async function makeTeam(): Promise<Team> {
  const { url } = await sharedServer();
  const owner = await registerVerified(url);
  const workspaceId = await createWorkspace(owner);
  return {
    url,
    owner,
    workspaceId,
    create: (body) => owner.call('POST', '/auth-credentials', { body: { workspaceId, ...body } }),
    update: (body) => owner.call('PUT', '/auth-credentials', { body }),
    get: (id) => owner.call('GET', `/auth-credentials/${id}`),
    list: async () =>
      (await owner.call<Credential[]>('GET', `/workspaces/${workspaceId}/auth-credentials`)).body,
  };
}

/** A credential of the type NONE. */
export const OPEN = { name: 'Weather', authType: 'NONE' };
