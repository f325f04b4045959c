import { stderr, stdout } from 'node:process';

/**
 * Characters by which a text steers a terminal or turns the order of what it shows: controls other than tab and line
 * feed, separators of lines, controls of direction (Unicode Standard Annex 9).
 */
const STEERING = /[^\P{Cc}\t\n]|[\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** Replaces the characters that steer a terminal by escapes such as `\u001b`. JSON stays the same value. */
export const withoutSteering = (text: string): string =>
  text.replaceAll(STEERING, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The output of the console: results go to stdout, failures of lines to stderr. */
export class Output {
  /** Whether a line has failed. */
  hasFailed = false;

  print(result: string): void {
    stdout.write(`${withoutSteering(result)}\n`);
  }

  /** Prints the failure of a line. */
  fail(text: string): void {
    this.hasFailed = true;
    stderr.write(`${withoutSteering(text)}\n`);
  }
}
