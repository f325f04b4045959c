import { stopServers } from '../helpers/server.ts';

/** The files of this area share a server: `sharedServer`. */
afterAll(stopServers);

describe('one credential', () => void require('./auth-credentials/one-credential.ts'));
describe('secrets', () => void require('./auth-credentials/secrets.ts'));
