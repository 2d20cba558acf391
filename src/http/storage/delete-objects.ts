import type { FastifyInstance, FastifySchema } from 'fastify'
import { bucketId } from '../../storage/key.ts'
import { deleteObjects as remove } from '../../storage/object/delete-objects.ts'
import type { ObjectRecord } from '../../storage/rows/objects.sql.ts'
import { connectionSignal } from '../client-signals.ts'
import { callerOf } from './caller.ts'
import { heldOrStreamed } from './held-or-streamed.ts'
import { recordText } from './record-text.ts'
import type { RouteContext } from './route-deps.ts'
import { reportBrokenOff } from './send-error.ts'
import type { InBucket } from './shapes.ts'

const SHAPE: FastifySchema = {
  operation: {
    id: 'deleteObjects',
    summary: 'Delete objects by their keys',
    description: 'Answers with what was deleted: keys that are missing, or that the caller may not delete, are passed over.',
    credentials: 'token',
    answer: ['ObjectRecord'],
  },
  body: {
    type: 'object',
    required: ['prefixes'],
    properties: {
      // whole keys, whatever they are called
      prefixes: { type: 'array', items: { type: 'string' }, minItems: 1 },
    },
  },
}

/** DELETE /object/{bucketName} */
export function deleteObjects(app: FastifyInstance, context: RouteContext): void {
  app.delete<InBucket & { Body: { prefixes: string[] } }>('/:bucketName', { schema: SHAPE }, async (request, reply) => {
    const call = await callerOf(context, request, 'storage.object.delete_many')
    const bucket = bucketId(request.params.bucketName)
    const records = remove(context.storage, call, bucket, request.body.prefixes, connectionSignal(request.raw))
    return reply
      .type('application/json; charset=utf-8')
      .send(await heldOrStreamed(listText(records), (error) => reportBrokenOff(error, request)))
  })
}

/** Made text as they come: all at once, tens of thousands would keep everybody waiting. */
async function* listText(batches: AsyncIterable<readonly ObjectRecord[]>): AsyncGenerator<string> {
  let opening = '['
  for await (const records of batches) {
    if (records.length === 0) continue
    yield opening + records.map((record) => `{${recordText(record)}}`).join(',')
    opening = ','
  }
  yield opening === '[' ? '[]' : ']'
}
