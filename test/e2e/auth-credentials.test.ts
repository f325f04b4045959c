import { stopServers } from '../helpers/server.ts';

/** The tests of this area use the shared server. */
afterAll(stopServers);

describe('one credential', () => void require('./auth-credentials/one-credential.ts'));
describe('secrets', () => void require('./auth-credentials/secrets.ts'));
