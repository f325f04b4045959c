import { ON_REAL_ENGINE } from '../test/mongodb/start-mongo.ts';
import { describeBound, type Figure, isWithin } from './figures.ts';

const NAME_WIDTH = 60;

export const printLine = (line: string): void => void process.stdout.write(`${line}\n`);

/** Prints the value beside its bound. A value beyond the bound makes the process end with exit code 1. */
export function reportFigure(figure: Figure, value: number, digits = 2): void {
  const within = isWithin(figure, value);
  const verdict = within ? '' : '   BEYOND ITS BOUND';
  printLine(`${columns(figure, value, digits)}   ${describeBound(figure)}${verdict}`);
  if (!within) process.exitCode = 1;
}

/** Prints a value whose bound this machine cannot meet, with the reason. */
export const reportUnbounded = (figure: Figure, value: number, reason: string): void =>
  printLine(`${columns(figure, value, 2)}   (${describeBound(figure)}) ${reason}`);

const columns = ({ name }: Figure, value: number, digits: number): string =>
  `${name.padEnd(NAME_WIDTH)} ${value.toFixed(digits).padStart(8)}`;

/** The durability of acknowledged writes, which is printed beside figures that write. */
export const DURABILITY = ON_REAL_ENGINE
  ? "durability: MongoDB's own engine, one member, its default write concern"
  : 'durability: embedded database (SQLite, WAL, synchronous=NORMAL), no write concern: an answered write survives kill -9, not a power failure';
