import { stopServers } from '../helpers/server.ts';

/** The tests of this area use the shared server. */
afterAll(stopServers);

describe('recordings', () => void require('./recordings/recordings.ts'));
describe('events of a recording', () => void require('./recordings/events.ts'));
describe('senders of events at once', () => void require('./recordings/senders.ts'));
describe('steps of a recording', () => void require('./recordings/steps.ts'));
