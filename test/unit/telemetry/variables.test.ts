import { readEnvironment } from '../../../environment/variables.ts';

describe('the variables of OpenTelemetry', () => {
  it('may give attributes as in W3C Baggage', () => {
    const given = {
      OTEL_RESOURCE_ATTRIBUTES: ' team = a%2Cb ,deployment.environment.name=test=1,',
    };
    expect(readEnvironment(given).OTEL_RESOURCE_ATTRIBUTES).toEqual({
      team: 'a,b',
      'deployment.environment.name': 'test=1',
    });
    expect(readEnvironment({}).OTEL_RESOURCE_ATTRIBUTES).toEqual({});
  });

  it('know true and false in any case', () => {
    expect(readEnvironment({ OTEL_SDK_DISABLED: 'True' }).OTEL_SDK_DISABLED).toBe('true');
  });

  it.each([
    ['OTEL_RESOURCE_ATTRIBUTES', 'team'],
    ['OTEL_RESOURCE_ATTRIBUTES', 'team=%'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'grpc'],
    ['OTEL_TRACES_EXPORTER', 'zipkin'],
    ['OTEL_SDK_DISABLED', 'yes'],
  ])('are refused in one line where they ask for what there is not: %s=%s', (name, value) => {
    expect(() => readEnvironment({ [name]: value })).toThrow(
      new RegExp(`^${name}: "${value}" is not possible; it may be [^\\n]+$`),
    );
  });
});
