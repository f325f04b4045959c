import { stopServers } from '../helpers/server.ts';

/** The files of this area share a server: `sharedServer`. */
afterAll(stopServers);

describe('create', () => void require('./configurations/create.ts'));
describe('list', () => void require('./configurations/list.ts'));
