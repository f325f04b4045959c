import { randomBytes } from 'node:crypto';
import type { Result } from '../fixtures/e2e.ts';
import { made } from '../fixtures/e2e.ts';
import type { Answer, ProblemBody } from './http.ts';
import type { Person } from './people.ts';
import { addMember, createWorkspace, registerVerified } from './people.ts';
import { createFlow } from './runs.ts';
import { sharedServer } from './server.ts';

export interface ShownCredential {
  id: number;
  name: string;
  authType: string;
}

/** A configuration store, as the service answers it. */
export type StoreAnswer = Result<'configurations.get'>;

export const FLOW = 'do:\n  - one: { set: { x: 1 } }\n';
export const uniqueName = (prefix: string): string => `${prefix}-${randomBytes(5).toString('hex')}`;

/** A workspace with a flow, and another workspace of another owner with a flow. */
export async function makeWorkspaces(url: string) {
  const [owner, stranger] = await Promise.all([
    registerVerified(url, 'Owner'),
    registerVerified(url, 'Stranger'),
  ]);
  const workspaceId = await createWorkspace(owner);
  const otherWorkspaceId = await createWorkspace(stranger);
  const flowId = await createFlow(owner, workspaceId, FLOW);
  const otherFlowId = await createFlow(stranger, otherWorkspaceId, FLOW);
  const agent = await addMember(url, owner, workspaceId, 'AGENT');
  return { url, owner, stranger, agent, workspaceId, otherWorkspaceId, flowId, otherFlowId };
}

/** The same, made on the shared server before the first test. */
export const sharedWorkspaces = () => made(async () => makeWorkspaces((await sharedServer()).url));

/** Creates a store. Throws when the service refuses it. */
export async function createStore(
  owner: Person,
  workspaceId: number,
  more: object = {},
): Promise<StoreAnswer> {
  const body = { workspaceId, name: 'A store', ...more };
  const {
    status,
    body: store,
    text,
  } = await owner.call<StoreAnswer>('POST', '/configurations', {
    body,
  });
  if (status !== 201) throw new Error(`creating a store answered ${status}: ${text}`);
  return store;
}

/** The status of a refusal, and the first field that it names, or its code. */
export const firstFault = ({
  status,
  body,
}: Pick<Answer<Pick<ProblemBody, 'code' | 'errors'>>, 'status' | 'body'>) => [
  status,
  body.errors?.[0]?.path ?? body.code,
];

/** Creates an API key of the workspace. Answers the headers of a request with the key. */
export async function createKey(
  owner: Person,
  workspaceId: number,
  scopes: readonly string[],
): Promise<{ 'x-api-key': string }> {
  const body = { workspaceId, name: uniqueName('key'), scopes };
  const { body: made } = await owner.call<{ key: string }>('POST', '/api-keys', { body });
  return { 'x-api-key': made.key };
}
