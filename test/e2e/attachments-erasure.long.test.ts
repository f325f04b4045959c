import { e2e } from '../fixtures/e2e.ts';
import { fileForm } from '../helpers/multipart.ts';
import { addMember, createWorkspace, type Person, registerVerified } from '../helpers/people.ts';
import { waitFor } from '../helpers/wait.ts';

/** Milliseconds of an erasure: its last pass comes a minute after its beginning. */
const ERASED_WITHIN_MS = 90_000;

const { server, database } = e2e({ database: true });

const NAMES = ['attachments', 'attachment_data.files', 'attachment_data.chunks'];
const stored = async (): Promise<number[]> =>
  Promise.all(NAMES.map((name) => database.collection(name).countDocuments()));

async function attach(person: Person, workspaceId: number): Promise<void> {
  const { body } = await person.call<{ id: number }>('POST', '/agent/conversations', {
    body: { workspaceId },
  });
  const path = `/agent/conversations/${body.id}/attachments`;
  const form = fileForm(Buffer.alloc(600_000, 'x'), 'a.txt');
  expect((await person.call('POST', path, form)).status).toBe(201);
}

it('the bytes of attachments go with a deleted person, and with a deleted workspace', async () => {
  const owner = await registerVerified(server.url);
  const workspaceId = await createWorkspace(owner);
  const member = await addMember(server.url, owner, workspaceId, 'MEMBER');
  await attach(owner, workspaceId);
  await attach(member, workspaceId);
  expect(await stored()).toEqual([2, 2, 6]);
  expect((await member.call('DELETE', `/users/${member.id}`)).status).toBe(204);
  const untilStored = (counts: number[]) =>
    waitFor(
      String(counts),
      async () => String(await stored()) === String(counts),
      ERASED_WITHIN_MS,
    );
  await untilStored([1, 1, 3]);
  expect((await owner.call('DELETE', `/workspaces/${workspaceId}`)).status).toBe(204);
  await untilStored([0, 0, 0]);
  const usage = database.collection('attachment_usage');
  await waitFor('no usage', async () => (await usage.countDocuments()) === 0, ERASED_WITHIN_MS);
}, 240_000);
