import { WorkspaceKeyModel } from '../../../models/workspace-key.model.ts';
import { openTexts, sealTexts } from '../../../services/connections/envelope/foreign-texts.ts';
import { useEmptyDatabase } from '../../helpers/database.ts';
import { envelopeOf, newMasterKey } from '../../helpers/envelopes.ts';

useEmptyDatabase([WorkspaceKeyModel]);

const sealer = envelopeOf(newMasterKey());

const TOKEN = { id: 12, field: 'webhook-token' } as const;
const SECRET = { id: 12, field: 'webhook-secret' } as const;

async function seal(workspaceId: number): Promise<[token: string, secret: string]> {
  const texts = [
    { ...TOKEN, text: 'token-canary' },
    { ...SECRET, text: 'secret-canary' },
  ];
  const { sealed } = await sealTexts({ workspaceId, texts }, sealer);
  const [token, secret] = sealed;
  if (token === undefined || secret === undefined) throw new Error('a text was not sealed');
  return [token, secret];
}

test('texts of several workspaces open in the order of the call', async () => {
  const [[, secret], [token]] = [await seal(7), await seal(8)];
  const texts = [
    { workspaceId: 8, ...TOKEN, sealed: token },
    { workspaceId: 7, ...SECRET, sealed: secret },
  ];
  expect(await openTexts({ texts }, sealer)).toEqual({ opened: ['token-canary', 'secret-canary'] });
  expect(token + secret).not.toContain('canary');
});

test('a text that does not open is null and hinders no other text', async () => {
  const [token, secret] = await seal(7);
  await seal(8);
  const texts = [
    { workspaceId: 8, ...TOKEN, sealed: token },
    { workspaceId: 7, ...TOKEN, sealed: secret },
    { workspaceId: 7, ...SECRET, id: 13, sealed: secret },
    { workspaceId: 9, ...TOKEN, sealed: token }, // no text of this workspace was sealed
    { workspaceId: 7, ...SECRET, sealed: secret },
  ];
  const { opened } = await openTexts({ texts }, sealer);
  expect(opened).toEqual([null, null, null, null, 'secret-canary']);
});
