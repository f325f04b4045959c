import type { Refusable, Result } from '../fixtures/e2e.ts';
import type { Answer, ProblemBody } from './http.ts';
import { mailTo, type Person } from './people.ts';

export type Invitation = Result<'workspaces.invite'>;
type Invited = Answer<Refusable<Invitation>>;

const PATH = '/workspaces/invitations';

export const invite = (
  by: Person,
  workspaceId: number,
  email: string,
  role: string,
): Promise<Invited> => by.call('POST', PATH, { body: { workspaceId, email, role } });

export const accept = (by: Person, id: number): Promise<Invited> =>
  by.call('POST', `${PATH}/${id}/accept`);
export const acceptByToken = (by: Person, token: string): Promise<Invited> =>
  by.call('POST', `${PATH}/accept`, { body: { token } });
export const decline = (by: Person, id: number): Promise<Invited> =>
  by.call('POST', `${PATH}/${id}/decline`);
export const resend = (by: Person, id: number): Promise<Invited> =>
  by.call('POST', `${PATH}/${id}/resend`);
export const revoke = (by: Person, id: number): Promise<Answer<ProblemBody>> =>
  by.call('DELETE', `${PATH}/${id}`);

export const listReceived = async (by: Person): Promise<Invitation[]> =>
  (await by.call<Invitation[]>('GET', `${PATH}/received`)).body;
export const listCreated = async (by: Person, workspaceId?: number): Promise<Invitation[]> =>
  (await by.call<Invitation[]>('GET', `${PATH}/created`, { query: { workspaceId } })).body;
export const listOfWorkspace = async (by: Person, workspaceId: number): Promise<Invitation[]> =>
  (await by.call<Invitation[]>('GET', `/workspaces/${workspaceId}/invitations`)).body;

/** The token of the newest mail of an invitation to the address. */
export const mailedToken = async (base: string, email: string): Promise<string> =>
  (await mailTo(base, email, 'An invitation to a workspace')).token;
