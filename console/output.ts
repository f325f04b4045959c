import { stderr, stdout } from 'node:process';

/** The output of the console: results go to stdout, failures of lines to stderr. */
export class Output {
  /** Whether a line has failed. */
  hasFailed = false;

  print(result: string): void {
    stdout.write(`${result}\n`);
  }

  /** Prints the failure of a line. */
  fail(text: string): void {
    this.hasFailed = true;
    stderr.write(`${text}\n`);
  }
}
