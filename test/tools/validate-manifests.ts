/**
 * Validates objects of Kubernetes by the schemas of `kubernetes-models`: `node validate-manifests.ts <JSON file with a
 * list of objects>`. A process of its own, because jest does not load that package. Prints the faults as a JSON list.
 */
import { readFileSync } from 'node:fs';
import type { KubernetesObject } from '../integration/deploy/kubernetes-files.ts';

type Model = new (object: object) => { validate(): void };

const objects: KubernetesObject[] = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
const faults: string[] = [];
for (const object of objects) {
  const models: Record<string, Model> = await import(`kubernetes-models/${object.apiVersion}`);
  const Kind = models[object.kind];
  try {
    if (!Kind) throw new Error('there is no such kind');
    new Kind(object).validate();
  } catch (error) {
    faults.push(`${object.kind} ${object.metadata.name}: ${(error as Error).message}`);
  }
}
process.stdout.write(JSON.stringify(faults));
