import type { ServiceBroker } from 'moleculer';
import type { UploadRule } from '../../../contract/upload.ts';
import type { ReadRequest } from '../gateway-request.ts';
import { FileForm } from '../uploads/file-form.ts';
import { assertUpload } from '../uploads/upload-headers.ts';
import { defaultPace, UploadPace } from '../uploads/upload-pace.ts';
import { assertAccess, callAction } from './call.ts';

/**
 * Calls the action with the file of the request as its stream, while the file arrives. The access check comes before the
 * first byte is read. Throws 400, 408, 413 or 415 for the body, and the refusal of the action.
 */
export async function receiveUpload(
  broker: ServiceBroker,
  request: ReadRequest,
  rule: UploadRule,
): Promise<unknown> {
  const { http, bodyDeadlines } = request;
  assertUpload(http, rule);
  await assertAccess(broker, request);
  bodyDeadlines.lift(http);
  const form = new FileForm(http, rule, {
    onBytes: (bytes) => pace.record(bytes),
    onWait: () => pace.recordWait(),
    onResume: () => pace.recordResume(),
  });
  const pace = new UploadPace(defaultPace, (problem) => form.refuse(problem));
  try {
    const { name: fileName, type: fileType, stream } = await form.file;
    const params = { ...request.params, fileName, fileType };
    return await callAction(broker, { ...request, params }, { stream });
  } catch (error) {
    throw form.fault ?? error; // the error of the call is the one of its stream
  } finally {
    pace.stop();
    form.end();
  }
}
