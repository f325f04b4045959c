import { stopServers } from '../helpers/server.ts';

/** The tests of this area use the shared server. */
afterAll(stopServers);

describe('body-limits', () => void require('./requests/body-limits.ts'));
describe('given-twice', () => void require('./requests/given-twice.ts'));
describe('openapi', () => void require('./requests/openapi.ts'));
describe('unfinished-bodies', () => void require('./requests/unfinished-bodies.ts'));
