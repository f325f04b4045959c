/** Files that test the embedded database itself, with what they need of it. They do not run on another engine. */
export const EMBEDDED_ONLY: Readonly<Record<string, string>> = {
  'test/integration/backups/backups.test.ts': 'the copy of the embedded database',
};

const RETRYABLE_WRITES = 'the engine has no sessions, and so no retryable writes';

/** Tests that fail because the engine lacks something, by file and name. A test that passes must go from here. */
export const KNOWN_FAILURES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'test/integration/database/closed-connections.test.ts': {
    'all connections are closed at once, again and again: a lost command': RETRYABLE_WRITES,
    'all connections are closed at once, again and again: a lost answer': RETRYABLE_WRITES,
  },
};

/**
 * How many exceptions there are. The number falls with each that goes. It rises only with a new file that tests the
 * embedded database itself.
 */
export const EXCEPTIONS = 3;
