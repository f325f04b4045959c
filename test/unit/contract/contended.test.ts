import { problemsOf } from '../../../contract/contract.ts';
import { contracts } from '../../../services/contracts.ts';

const audited = contracts
  .flatMap(({ name, actions }) =>
    Object.entries(actions).map(([action, contract]) => ({ name: `${name}.${action}`, contract })),
  )
  .filter(({ contract: { audit } }) => audit && 'resource' in audit);
const isBusy = ({ contract }: (typeof audited)[number]) =>
  problemsOf(contract).some(({ code }) => code === 'BUSY');

test('an audited action lists 503 BUSY, unless it creates its resource or writes a run', () => {
  expect(audited.filter((action) => !isBusy(action)).map(({ name }) => name)).toEqual([
    'identity.register',
    'identity.createUser',
    'identity.createApiKey',
    'workspaces.create',
    'issues.create',
    'issues.createExternal',
    'flows.create',
    'runs.start',
    'runs.cancel',
  ]);
});

test('an action that compares If-Match lists 503 BUSY', () => {
  expect(audited.filter(({ contract: { etag } }) => etag).every(isBusy)).toBe(true);
});
