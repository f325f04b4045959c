import { readEnvironment } from '../../environment.ts';

describe('the size of a quota', () => {
  it.each([
    ['1', 1],
    ['250', 250],
    ['off', null],
  ])('may be %s', (text, size) => {
    expect(readEnvironment({ WORKSPACES_PER_PERSON: text }).WORKSPACES_PER_PERSON).toBe(size);
  });

  it.each(['0', '-1', '1e3', 'Off', '10 ', 'none', '1234567890'])('is not %p', (text) => {
    expect(() => readEnvironment({ WORKSPACES_PER_PERSON: text })).toThrow(
      `WORKSPACES_PER_PERSON: ${JSON.stringify(text)} is not possible; it may be a whole number from 1 to 999999999, or off.`,
    );
  });
});
