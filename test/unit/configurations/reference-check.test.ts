import type { Directory } from '../../../services/configurations/references/directory.ts';
import { ReferenceCheck } from '../../../services/configurations/references/reference-check.ts';

const WORKSPACE = 3;
const PAIR = { flowId: 7, sourceAuthCredentialId: 12, destinationAuthCredentialId: null };

/** A directory of one flow and one credential, with the calls it got. */
function makeDirectory() {
  const calls: unknown[][] = [];
  const summary = { id: 12, name: 'Orders', authType: 'BEARER' } as const;
  const directory: Directory = {
    async flowsOf(_workspaceId, ids) {
      calls.push(['flowsOf', ids]);
      return new Set([7]);
    },
    async credentialsOf() {
      return new Map();
    },
    async reserve(_workspaceId, ids, token) {
      calls.push(['reserve', ids, token]);
      return new Map([[summary.id, summary]]);
    },
    async release(_workspaceId, ids, token) {
      calls.push(['release', ids, token]);
    },
  };
  return { directory, calls };
}

test('a repeated check reserves credentials anew, and looks up no flow again', async () => {
  const { directory, calls } = makeDirectory();
  const check = new ReferenceCheck(directory, WORKSPACE, (at, field) => `${at}.${field}`);
  await check.assertReferences([PAIR], []);
  await check.assertReferences([PAIR], []);
  await check.release();
  const token = calls[1]?.[2];
  expect(calls).toEqual([
    ['flowsOf', [7]],
    ['reserve', [12], token],
    ['reserve', [12], token],
    ['release', [12], token],
  ]);
});

test('a credential that is not there is refused, and those that are there are released', async () => {
  const { directory, calls } = makeDirectory();
  const check = new ReferenceCheck(directory, WORKSPACE, (at, field) => `${at}.${field}`);
  const wanted = [{ ...PAIR, destinationAuthCredentialId: 13 }];
  await expect(check.assertReferences(wanted, [])).rejects.toMatchObject({ code: 400 });
  await check.release();
  expect(calls.at(-1)?.slice(0, 2)).toEqual(['release', [12]]);
});
