import { stopServers } from '../helpers/server.ts';

/** The files of this area share a server: `sharedServer`. */
afterAll(stopServers);

describe('one description', () => void require('./api-descriptions/one-description.ts'));
