import { stopServers } from '../helpers/server.ts';

/** The tests of this area use the shared server. */
afterAll(stopServers);

describe('create', () => void require('./configurations/create.ts'));
describe('list', () => void require('./configurations/list.ts'));
describe('update', () => void require('./configurations/update.ts'));
describe('archive', () => void require('./configurations/archive.ts'));
describe('properties', () => void require('./configurations/properties.ts'));
describe('flow credentials', () => void require('./configurations/flow-credentials.ts'));
describe('credentials', () => void require('./configurations/credentials.ts'));
