import { DatabaseClock } from '../../../mixins/database/database-clock.ts';

/** The time of the database when the monotonic clock shows 0. */
const EPOCH = Date.parse('2026-01-01T00:00:00.000Z');

/** A process and a database, both with a clock of their own, which the test moves on together. */
class World {
  monotonic = 10_000;
  database = EPOCH;
  /** The round trip of a command with which the clock repeats a reading; null where the command fails. */
  repeat: [number, number] | null = null;
  readonly clock = new DatabaseClock(
    () => this.monotonic,
    async () => {
      if (!this.repeat) throw new Error('away');
      return this.#readTime(...this.repeat);
    },
  );

  pass(ms: number, drift = 0): void {
    this.monotonic += ms;
    this.database += ms * (1 + drift);
  }

  /** Sends a command that reaches the database and comes back after these times. */
  async read(thereMs: number, backMs: number): Promise<void> {
    await this.clock.measure(
      async () => this.#readTime(thereMs, backMs),
      (time) => time,
    );
  }

  #readTime(thereMs: number, backMs: number): Date {
    this.pass(thereMs);
    const time = new Date(Math.floor(this.database));
    this.pass(backMs);
    return time;
  }

  get error(): number {
    return this.clock.now() - this.database;
  }
}

test('throws before the first reading', () => {
  const { clock } = new World();
  expect(clock.isKnown).toBe(false);
  expect(() => clock.now()).toThrow('the database was not read yet');
});

test('a reading is wrong by half of its round trip at most', async () => {
  for (const [there, back] of [
    [0, 40],
    [20, 20],
    [40, 0],
  ] as const) {
    const world = new World();
    await world.read(there, back);
    expect(Math.abs(world.error)).toBeLessThanOrEqual(21.5);
    expect(world.clock.errorMs).toBeLessThanOrEqual(21);
  }
});

test('a slow reading after a fast one makes the clock no worse', async () => {
  const world = new World();
  await world.read(1, 1);
  world.pass(1_000);
  await world.read(0, 2_000);
  expect(Math.abs(world.error)).toBeLessThanOrEqual(5);
});

test('bounds of several readings are intersected', async () => {
  const world = new World();
  await world.read(0, 100);
  expect(world.error).toBeGreaterThan(-52);
  await world.read(100, 0);
  expect(Math.abs(world.error)).toBeLessThanOrEqual(2);
});

test.each([
  [7_990, 10],
  [10, 7_990],
])('an exact reading corrects a slow first one of %d ms there and %d ms back', async (...slow) => {
  const world = new World();
  await world.read(...slow);
  world.clock.now();
  world.pass(1_000);
  await world.read(1, 1);
  expect(Math.abs(world.error)).toBeLessThanOrEqual(3);
  expect(world.clock.errorMs).toBeLessThanOrEqual(3);
});

test('a slow first reading is repeated before the clock is known', async () => {
  const world = new World();
  world.repeat = [1, 1];
  await world.read(7_990, 10);
  expect(Math.abs(world.error)).toBeLessThanOrEqual(3);
  world.repeat = [0, 0];
  const at = world.monotonic;
  await world.read(7_990, 10);
  expect(world.monotonic - at).toBe(8_000); // only the first reading is repeated
});

test('a slow first reading counts where its repetition fails', async () => {
  const world = new World();
  await world.read(500, 500);
  expect(Math.abs(world.error)).toBeLessThanOrEqual(501);
});

test('an answer without a time is no reading', async () => {
  const world = new World();
  const answer = await world.clock.measure(
    async () => null,
    () => undefined,
  );
  expect(answer).toBeNull();
  expect(world.clock.isKnown).toBe(false);
});

test('a failed command is no reading', async () => {
  const { clock } = new World();
  const failing = clock.measure(
    () => Promise.reject(new Error('away')),
    () => new Date(),
  );
  await expect(failing).rejects.toThrow('away');
  expect(clock.isKnown).toBe(false);
});

test('follows a clock that drifts by 200 ppm for an hour', async () => {
  const world = new World();
  for (let second = 0; second < 3_600; second++) {
    await world.read(1, 1);
    world.pass(1_000, 2e-4);
    expect(Math.abs(world.error)).toBeLessThanOrEqual(5);
  }
});

test.each([-3_600_000, -500, 500, 3_600_000])(
  'follows a step of the database by %d ms at the next reading',
  async (step) => {
    const world = new World();
    await world.read(1, 1);
    world.clock.now();
    world.database += step;
    world.pass(1_000);
    await world.read(1, 1);
    expect(Math.abs(world.error)).toBeLessThanOrEqual(3);
  },
);

test('does not run backwards when a reading corrects the estimate', async () => {
  const world = new World();
  await world.read(100, 0); // the estimate is ahead by 50 ms or less
  await world.read(0, 100);
  let last = world.clock.now();
  for (let reading = 0; reading < 100; reading++) {
    await world.read(reading % 7, (reading * 3) % 11);
    const now = world.clock.now();
    expect(now).toBeGreaterThanOrEqual(last);
    last = now;
  }
});

test('a step of the wall clock changes nothing', async () => {
  const world = new World();
  await world.read(1, 1);
  const wall = jest.spyOn(Date, 'now').mockReturnValue(0);
  try {
    expect(Math.abs(world.error)).toBeLessThanOrEqual(2);
  } finally {
    wall.mockRestore();
  }
});
