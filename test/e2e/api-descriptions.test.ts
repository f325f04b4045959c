import { stopServers } from '../helpers/server.ts';

/** The tests of this area use the shared server. */
afterAll(stopServers);

describe('one description', () => void require('./api-descriptions/one-description.ts'));
