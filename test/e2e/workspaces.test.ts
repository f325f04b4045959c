import { stopServers } from '../helpers/server.ts';

/** The tests of this area use the shared server. */
afterAll(stopServers);

describe('workspaces', () => void require('./workspaces/workspaces.ts'));
describe('members', () => void require('./workspaces/members.ts'));
describe('leaving', () => void require('./workspaces/leaving.ts'));
describe('roles', () => void require('./workspaces/roles.ts'));
