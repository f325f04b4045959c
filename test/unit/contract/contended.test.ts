import { type ActionContract, problemsOf } from '../../../contract/contract.ts';
import { contracts } from '../../../services/contracts.ts';

const actions = contracts.flatMap(({ name, actions }) =>
  Object.entries(actions).map(([action, contract]) => ({ name: `${name}.${action}`, contract })),
);
const busy = actions.filter(({ contract }) =>
  problemsOf(contract).some(({ code }) => code === 'BUSY'),
);
const busyNames = busy.map(({ name }) => name);

test.each([
  'identity.changePassword',
  'identity.resetPassword',
  'identity.verifyEmail',
  'identity.undoAddressChange',
  'identity.revokeApiKey',
  'workspaces.rename',
  'workspaces.addMember',
  'workspaces.removeMember',
  'workspaces.removeMemberByBody',
  'workspaces.changeRole',
  'issues.update',
  'issues.remove',
  'flows.update',
  'runs.signal',
])('%s, which changes a resource by its revision, lists 503 BUSY', (name) => {
  expect(busyNames).toContain(name);
});

test.each([
  'identity.register',
  'identity.createUser',
  'identity.createApiKey',
  'workspaces.create',
  'issues.create',
  'issues.createExternal',
  'flows.create',
  'flows.validate',
  'runs.start',
  'runs.startExternal',
  'runs.cancel',
])('%s, which meets no other change, does not list 503 BUSY', (name) => {
  expect(busyNames).not.toContain(name);
});

test('only a POST without If-Match, or an internal action, may be uncontended', () => {
  const uncontended = actions.filter(({ contract }) => contract.uncontended);
  const isAllowed = ({ route, etag }: ActionContract) =>
    !etag && (!route || route.startsWith('POST '));
  expect(uncontended.filter(({ contract }) => !isAllowed(contract))).toEqual([]);
});
