import type { FastifyReply, FastifyRequest } from 'fastify'
import { type UploadedObject, type Uploader, uploadObject } from '../../storage/object/upload-object.ts'
import type { WriteMode } from '../../storage/object/write-permission.ts'
import { requestSignal } from '../client-signals.ts'
import { openForm } from './form-body.ts'
import { rawBody } from './raw-body.ts'
import type { RouteContext } from './route-deps.ts'
import { contentLength } from './upload-headers.ts'

/** What the three ways to upload share: the file is the body itself, or the first file of a form. */
export function upload(
  context: RouteContext,
  { headers, raw }: FastifyRequest,
  reply: FastifyReply,
  target: { readonly bucket: string; readonly key: string },
  uploader: Uploader,
  mode: WriteMode,
): Promise<UploadedObject> {
  const { maxUserMetadataBytes } = context.storage.limits
  const signal = requestSignal(reply.raw)
  const robotsTag = headers['x-robots-tag']
  const command = {
    ...target,
    mode,
    robotsTag: typeof robotsTag === 'string' ? robotsTag : undefined,
    announcedLength: contentLength(headers),
    conditions: { ifMatch: headers['if-match'], ifNoneMatch: headers['if-none-match'] },
  }
  const open = async () =>
    isForm(headers['content-type']) ? openForm(raw, maxUserMetadataBytes, signal) : rawBody(raw, maxUserMetadataBytes)
  return uploadObject(context.storage, uploader, command, open, signal)
}

const isForm = (contentType: string | undefined): boolean => /^multipart\/form-data/i.test(contentType ?? '')
