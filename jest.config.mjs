const swc = {
  jsc: { target: 'es2024', parser: { syntax: 'typescript' } },
  module: { type: 'commonjs' },
  sourceMaps: 'inline',
};

/** Packages with ES modules only, which jest does not load. */
const ESM_ONLY =
  'jose|content-disposition|range-parser|file-type|strtok3|token-types|uint8array-extras|@tokenizer/inflate|@borewit/text-codec';
const plain = { ...swc, jsc: { ...swc.jsc, parser: { syntax: 'ecmascript' } } };

/** `npm run test:nats`: every server of a test is five processes, a nats-server and a database. */
const spread = process.env.TEST_NATS === '1';

/**
 * `npm run test:long`: the files that take long, which `npm test` leaves out. Of them only those of
 * `test/e2e/distributed/` run over NATS, which test what several processes may break.
 */
const long = process.env.TEST_LONG === '1';
const files = long ? '*.long.test.ts' : '*.test.ts';

const inOneProcess = {
  testMatch: [`<rootDir>/test/**/${files}`, `<rootDir>/packages/*/test/**/${files}`],
  testPathIgnorePatterns: [
    '/node_modules/',
    '<rootDir>/test/nats/',
    '<rootDir>/test/tools/',
    ...(long ? [] : ['\\.long\\.test\\.ts$']),
  ],
  testTimeout: 120_000, // a bound for a machine that is busy with other things, not a measure
  maxWorkers: 4, // most tests wait for a server process of their own
};
const overNats = {
  testMatch: ['<rootDir>/test/e2e/**/*.test.ts', '<rootDir>/test/nats/*.test.ts'],
  testPathIgnorePatterns: [
    '/node_modules/',
    '<rootDir>/test/e2e/(?!distributed/).*\\.long\\.test\\.ts$',
  ],
  testTimeout: 120_000,
  maxWorkers: 2,
};

/** `npm run test:tools`: the tests with tools of their own, which `npm ci --prefix test/tools` installs. */
const withTools = {
  testMatch: ['<rootDir>/test/tools/*.test.ts'],
  testTimeout: 120_000,
  maxWorkers: 2,
};

/** `npm run test:mongodb` (`test/mongodb/run.ts`), which names the files. */
const onMongodb = {
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  testEnvironment: '<rootDir>/test/mongodb/environment.ts',
  testTimeout: 120_000,
  maxWorkers: spread ? 2 : 4,
};
const suite = () => {
  if (process.env.TEST_MONGODB === '1') return onMongodb;
  if (process.env.TEST_TOOLS === '1') return withTools;
  return spread ? overNats : inOneProcess;
};

export default {
  testEnvironment: 'node',
  // A worker that keeps more after a file is replaced: databases within it refuse commands for which memory is short.
  workerIdleMemoryLimit: '1GB',
  setupFiles: ['<rootDir>/support/json-parse.ts'], // as `server.ts` loads it
  globalSetup: '<rootDir>/test/helpers/shared-server.ts',
  globalTeardown: '<rootDir>/test/helpers/stop-shared-server.ts',
  testSequencer: '<rootDir>/test/sequencer.mjs',
  transform: {
    '^.+\\.ts$': ['@swc/jest', swc],
    [`/node_modules/(?:${ESM_ONLY})/.+\\.js$`]: ['@swc/jest', plain],
  },
  transformIgnorePatterns: [`/node_modules/(?!(?:${ESM_ONLY})/)`],
  ...suite(),
};
