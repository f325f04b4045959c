import { stopServers } from '../helpers/server.ts';

/** The tests of this area use the shared server. */
afterAll(stopServers);

describe('one-issue', () => void require('./issues/one-issue.ts'));
describe('list', () => void require('./issues/list.ts'));
describe('bad-input', () => void require('./issues/bad-input.ts'));
describe('external', () => void require('./issues/external.ts'));
