import type { ServiceName } from '../../../environment/process.ts';
import { type Manifest, manifestOf } from './manifest.ts';

/** Pods of a service: two lose nothing when one dies. */
const MIN_PODS = 2;
/** Most pods of a service, unless the table below has another number. */
const MAX_PODS = 6;
const MAX_PODS_OF: Partial<Record<ServiceName, number>> = { runs: 12 };
/** Percent of the requested CPU time that pods use on average. Beyond it pods are added. */
const CPU_TARGET = 80;

/** Returns what adds pods to a service that is busy, and takes them away after 5 minutes of less work. */
export const autoscalerOf = (name: ServiceName): Manifest =>
  manifestOf('autoscaling/v2', 'HorizontalPodAutoscaler', name, {
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
      minReplicas: MIN_PODS,
      maxReplicas: MAX_PODS_OF[name] ?? MAX_PODS,
      metrics: [
        {
          type: 'Resource',
          resource: {
            name: 'cpu',
            target: { type: 'Utilization', averageUtilization: CPU_TARGET },
          },
        },
      ],
      behavior: {
        scaleDown: {
          stabilizationWindowSeconds: 300,
          policies: [{ type: 'Pods', value: 1, periodSeconds: 60 }],
        },
      },
    },
  });
