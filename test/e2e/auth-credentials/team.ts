import type { Refusable, Result } from '../../fixtures/e2e.ts';
import type { Answer } from '../../helpers/http.ts';
import { createWorkspace, type Person, registerVerified } from '../../helpers/people.ts';
import { sharedServer } from '../../helpers/server.ts';

export type Credential = Result<'connections.getAuthCredential'>;

/** A workspace with its owner, who makes credentials in it. */
export interface Team {
  url: string;
  owner: Person;
  workspaceId: number;
  create(body: object): Promise<Answer<Refusable<Credential>>>;
  update(body: object): Promise<Answer<Refusable<Credential>>>;
  get(id: number): Promise<Answer<Refusable<Credential>>>;
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
