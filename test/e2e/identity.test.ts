import { stopServers } from '../helpers/server.ts';

/** The tests of this area use the shared server. */
afterAll(stopServers);

describe('sessions', () => void require('./identity/sessions.ts'));
describe('own-sessions', () => void require('./identity/own-sessions.ts'));
describe('verification', () => void require('./identity/verification.ts'));
describe('reset', () => void require('./identity/reset.ts'));
describe('api-keys', () => void require('./identity/api-keys.ts'));
describe('key-rotation', () => void require('./identity/key-rotation.ts'));
describe('outbox', () => void require('./identity/outbox.ts'));
describe('service-accounts', () => void require('./identity/service-accounts.ts'));
describe('account-tokens', () => void require('./identity/account-tokens.ts'));
