import { Gauge, type Registry } from 'prom-client';
import { build } from '../environment/build.ts';

/** Reports what runs, as labels of a metric that is always 1, for joins with other metrics. */
export function gaugeBuild(registry: Registry): void {
  const gauge = new Gauge({
    name: 'build_info',
    help: '1, with the version and the commit that run, and the version of Node.js, as labels',
    labelNames: ['version', 'commit', 'node'],
    registers: [registry],
  });
  gauge.set({ ...build, node: process.version }, 1);
}
