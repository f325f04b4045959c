import { randomBytes, randomInt } from 'node:crypto';
import { type MasterKeys, readMasterKeys } from '../../../environment/values/master-keys.ts';
import { connectDatabase, disconnectDatabase } from '../../../mixins/database/database.ts';
import { AuthCredentialModel } from '../../../models/auth-credential.model.ts';
import { WorkspaceKeyModel } from '../../../models/workspace-key.model.ts';
import { Envelope } from '../../../services/connections/envelope/envelope.ts';
import { e2e, started } from '../../fixtures/e2e.ts';
import { createWorkspace, type Person, registerVerified } from '../../helpers/people.ts';
import { startServer } from '../../helpers/server.ts';
import { waitFor } from '../../helpers/wait.ts';
import { ConstantLoad } from './constant-load.ts';
import { startRotation } from './rotation-process.ts';
import { secretOf, secretTarget } from './secret-target.ts';

const OWNERS = 10;
const WORKSPACES = 2_000;
const CREDENTIALS = 10_000;
const USES_PER_SECOND = 50;
/** Uses that succeed before each step of the rotation goes on. */
const USES_OF_A_STEP = 250;
/** Credentials that are used before the rotation begins, so that processes have their data keys in memory. */
const CACHED = 200;
/** Workspace keys that are re-wrapped when the rotation is killed. */
const KILL_AFTER = Number(process.env.SEED ?? randomInt(100, WORKSPACES - 200));

const base64 = () => randomBytes(32).toString('base64');
const [OLD, NEW] = [base64(), base64()];
function keysOf(text: string): MasterKeys {
  const keys = readMasterKeys(text);
  if (!keys) throw new Error('no master keys');
  return keys;
}

let owners: Person[];

const target = started(secretTarget());
const settings = () => ({
  OUTBOUND_ALLOW: target.host,
  WORKSPACES_PER_PERSON: 'off',
  PUBLIC_URL: 'http://service.example', // names the audience of the tokens, which both servers take
});
const { server, database } = e2e({
  database: true,
  env: () => ({ ...settings(), CREDENTIALS_MASTER_KEYS: `${OLD},${NEW}` }),
});
beforeAll(async () => {
  await connectDatabase(database.uri);
  owners = await Promise.all(
    Array.from({ length: OWNERS }, (_, i) => registerVerified(server.url, `Owner${i}`)),
  );
  await plantCredentials(await createWorkspaces());
}, 180_000);
afterAll(async () => {
  await disconnectDatabase();
});

/** Creates the workspaces, each owner's one after another. */
async function createWorkspaces(): Promise<Owned[]> {
  const perOwner = owners.map(async (owner) => {
    const own: Owned[] = [];
    while (own.length < WORKSPACES / OWNERS) own.push({ owner, id: await createWorkspace(owner) });
    return own;
  });
  return (await Promise.all(perOwner)).flat();
}

/** A workspace with its owner. */
interface Owned {
  owner: Person;
  id: number;
}

/** The owner of the workspace of each credential. */
const ownerOf = new Map<number, Person>();

/** Stores the credentials, whose secrets are sealed as the service does under the old master key. */
async function plantCredentials(workspaces: readonly Owned[]): Promise<void> {
  const envelope = new Envelope(() => keysOf(OLD));
  for (let first = 1; first <= CREDENTIALS; first += 500) {
    const planted = Array.from({ length: 500 }, async (_, at) => {
      const id = first + at;
      const workspace = workspaces[id % workspaces.length];
      if (!workspace) throw new Error('no workspace');
      ownerOf.set(id, workspace.owner);
      return credentialOf(id, workspace.id, envelope);
    });
    await AuthCredentialModel.insertMany(await Promise.all(planted));
  }
}

async function credentialOf(_id: number, workspaceId: number, envelope: Envelope) {
  const place = { workspaceId, id: _id, field: 'secret' };
  const now = new Date();
  return {
    _id,
    workspaceId,
    name: 'x',
    authType: 'BEARER' as const,
    allowedOrigins: [target.origin],
    sealedSecret: await envelope.sealField(place, JSON.stringify({ token: secretOf(_id) })),
    secretVersion: 1,
    createdAt: now,
    updatedAt: now,
    lastUsedAt: now,
    revision: 1,
  };
}

/** Lets a server send the secret of a credential. Returns null where the right secret arrived. */
async function useAt(base: string, id: number): Promise<string | null> {
  const caller = ownerOf.get(id);
  if (!caller) throw new Error(`no owner of ${id}`);
  const { status, text } = await fetchTest(base, caller.token, id);
  const isRight = status === 200 && (JSON.parse(text) as { status: number }).status === 200;
  return isRight ? null : `credential ${id}: ${status} ${text}`;
}

async function fetchTest(base: string, token: string, id: number) {
  const response = await fetch(`${base}/auth-credentials/${id}/test`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: `${target.origin}/${id}` }),
  });
  return { status: response.status, text: await response.text() };
}

const countStale = (): Promise<number> =>
  WorkspaceKeyModel.countDocuments({ kid: { $ne: keysOf(NEW)[0].kid } });

test(`10,000 credentials are used all the time while their keys are rotated, killed after ${KILL_AFTER} keys and rotated again`, async () => {
  expect(await countStale()).toBe(WORKSPACES);
  for (let id = 1; id <= CACHED; id++) expect(await useAt(server.url, id)).toBeNull();
  const bases = [server.url];
  const load = new ConstantLoad(USES_PER_SECOND, () =>
    useAt(bases[randomInt(bases.length)] ?? '', randomInt(1, CREDENTIALS + 1)),
  );
  const moreUses = async () => {
    const enough = load.succeeded + USES_OF_A_STEP;
    await waitFor('more uses', () => load.succeeded >= enough, 120_000);
  };

  const first = startRotation(database.uri, `${NEW},${OLD}`);
  await waitFor(
    'the middle of the rotation',
    async () => (await countStale()) <= WORKSPACES - KILL_AFTER,
  );
  first.kill();
  await first.ended;
  const left = await countStale();
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(WORKSPACES);
  await moreUses(); // at a process with the old key first, and keys of both kinds

  const again = startRotation(database.uri, `${NEW},${OLD}`);
  await moreUses();
  expect(await again.ended).toBe(`re-wrapped: ${left}, left: 0\n`);
  expect(await countStale()).toBe(0);
  const next = await startServer({
    dataDir: server.dataDir,
    env: { ...settings(), MONGODB_URI: database.uri, CREDENTIALS_MASTER_KEYS: NEW },
  });
  bases.push(next.url);
  await moreUses(); // at that process, and at one that has only the new key

  const { failures, succeeded, perSecond } = await load.stop();
  process.stdout.write(`${succeeded} uses, ${perSecond} a second\n`);
  expect(failures).toEqual([]);
}, 300_000);

test('afterwards the new key opens every secret, and the old key opens none', async () => {
  const [withNew, withOld] = [NEW, OLD].map((key) => new Envelope(() => keysOf(key)));
  const credentials = await AuthCredentialModel.find().lean();
  expect(credentials).toHaveLength(CREDENTIALS);
  const opened = await Promise.all(
    credentials.map(({ _id: id, workspaceId, sealedSecret }) =>
      withNew?.openField({ workspaceId, id, field: 'secret' }, sealedSecret ?? ''),
    ),
  );
  expect(opened).toEqual(credentials.map(({ _id }) => JSON.stringify({ token: secretOf(_id) })));
  const [{ _id, workspaceId, sealedSecret } = { _id: 0, workspaceId: 0, sealedSecret: '' }] =
    credentials;
  const opening = withOld?.openField({ workspaceId, id: _id, field: 'secret' }, sealedSecret ?? '');
  await expect(opening).rejects.toMatchObject({ code: 503, type: 'UNAVAILABLE' });
});
