/**
 * Writes the manifests of `deploy/kubernetes` from `docker-compose.yml` and the code: `npm run make-kubernetes`. A test
 * compares the files with what this writes.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { kubernetesFiles } from './kubernetes/generator/files.ts';

for (const [name, text] of Object.entries(kubernetesFiles())) {
  const path = join(import.meta.dirname, 'kubernetes', name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
