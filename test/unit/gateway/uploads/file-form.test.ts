import { once } from 'node:events';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { FileForm } from '../../../../mixins/gateway/uploads/file-form.ts';

it('refuses the body of a client that has gone before the reading begins', async () => {
  const http = new IncomingMessage(new Socket());
  http.headers['content-type'] = 'multipart/form-data; boundary=b';
  http.destroy();
  await once(http, 'close');
  const [onBytes, onWait, onResume] = [jest.fn(), jest.fn(), jest.fn()];
  const observer = { onBytes, onWait, onResume };
  const form = new FileForm(http, { field: 'file', maxBytes: 10 }, observer);
  await expect(form.file).rejects.toMatchObject({ type: 'MALFORMED_BODY' });
});
