import { readEnvironment } from '../../environment/variables.ts';

describe('the size of a quota', () => {
  it.each([
    ['1', 1],
    ['250', 250],
    ['off', null],
  ])('may be %s', (text, size) => {
    expect(readEnvironment({ WORKSPACES_PER_PERSON: text }).WORKSPACES_PER_PERSON).toBe(size);
  });

  it.each([
    ['1', 1],
    ['4096', 4_096],
    ['1KiB', 1_024],
    ['500MiB', 524_288_000],
    ['10GiB', 10_737_418_240],
    ['2TiB', 2_199_023_255_552],
    ['off', null],
  ])('in bytes may be %s', (text, size) => {
    expect(readEnvironment({ RUN_BYTES_PER_WORKSPACE: text }).RUN_BYTES_PER_WORKSPACE).toBe(size);
  });

  it.each(['0', '10GB', '10 GiB', '1.5GiB', 'GiB', '10gib', '999999999999999TiB'])(
    'in bytes is not %p',
    (text) => {
      expect(() => readEnvironment({ RUN_BYTES_PER_WORKSPACE: text })).toThrow(
        `RUN_BYTES_PER_WORKSPACE: ${JSON.stringify(text)} is not possible; it may be a number of bytes such as 500MiB or 10GiB, or off.`,
      );
    },
  );

  it.each(['0', '-1', '1e3', 'Off', '10 ', 'none', '1234567890'])('is not %p', (text) => {
    expect(() => readEnvironment({ WORKSPACES_PER_PERSON: text })).toThrow(
      `WORKSPACES_PER_PERSON: ${JSON.stringify(text)} is not possible; it may be a whole number from 1 to 999999999, or off.`,
    );
  });
});
