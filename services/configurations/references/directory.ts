import { asSystem } from '../../../contract/caller.ts';
import type { AuthCredentialSummary } from '../../connections/contract/resources.ts';
import type { Ctx } from '../../contracts.ts';

/** Ids of one call of another service. */
const MAX_IDS = 1_000;

/** The lookups of flows and credentials in the services `flows` and `connections`. */
export interface Directory {
  /** Those of the flows that the workspace has. */
  flowsOf(workspaceId: number, ids: readonly number[]): Promise<ReadonlySet<number>>;
  /** Those of the credentials that the workspace has, by id. */
  credentialsOf(workspaceId: number, ids: readonly number[]): Promise<Credentials>;
  /** The same; they are not deleted until `release`, or for some seconds. */
  reserve(workspaceId: number, ids: readonly number[], token: string): Promise<Credentials>;
  release(workspaceId: number, ids: readonly number[], token: string): Promise<void>;
}
export type Credentials = ReadonlyMap<number, AuthCredentialSummary>;

export function directoryOf(ctx: Pick<Ctx, 'call'>): Directory {
  const own = asSystem('configurations');
  return {
    async flowsOf(workspaceId, ids) {
      const found = await inChunks(ids, async (some) => {
        const { flows } = await ctx.call('flows.flowsByIds', { ids: some }, own);
        return flows.filter((flow) => flow.workspaceId === workspaceId);
      });
      return new Set(found.map(({ id }) => id));
    },
    async credentialsOf(workspaceId, ids) {
      return byId(
        await inChunks(ids, async (some) => {
          const params = { workspaceId, ids: some };
          return (await ctx.call('connections.credentialsByIds', params, own)).credentials;
        }),
      );
    },
    async reserve(workspaceId, ids, token) {
      return byId(
        await inChunks(ids, async (some) => {
          const params = { workspaceId, ids: some, token };
          return (await ctx.call('connections.reserveCredentials', params, own)).credentials;
        }),
      );
    },
    async release(workspaceId, ids, token) {
      await inChunks(ids, async (some) => {
        await ctx.call('connections.releaseCredentials', { workspaceId, ids: some, token }, own);
        return [];
      });
    },
  };
}

async function inChunks<T>(
  ids: readonly number[],
  read: (ids: number[]) => Promise<readonly T[]>,
): Promise<T[]> {
  const each = [...new Set(ids)];
  const found: T[] = [];
  for (let start = 0; start < each.length; start += MAX_IDS) {
    found.push(...(await read(each.slice(start, start + MAX_IDS))));
  }
  return found;
}

const byId = (credentials: readonly AuthCredentialSummary[]): Credentials =>
  new Map(credentials.map((credential) => [credential.id, credential]));
