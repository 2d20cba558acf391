import { createHash } from 'node:crypto'
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import type { S3Calls } from './s3-calls.ts'
import { fromS3, isMissingKey } from './s3-error.ts'

/** A short text beside the versions. */
export type SmallText = {
  /** null when there is none */
  readonly read: () => Promise<string | null>
  readonly write: (text: string) => Promise<void>
}

/** @param name of the object, below the prefix of the store */
export function smallText(s3: S3Calls, name: string): SmallText {
  const at = { Bucket: s3.bucket, Key: `${s3.prefix}${name}` }
  return {
    read: async () => {
      try {
        const { Body } = await s3.call((client, options) => client.send(new GetObjectCommand(at), options))
        return (await Body?.transformToString()) ?? ''
      } catch (error) {
        if (isMissingKey(error)) return null
        throw fromS3(error)
      }
    },
    write: async (text) => {
      const ContentMD5 = createHash('md5').update(text).digest('base64')
      const command = new PutObjectCommand({ ...at, Body: text, ContentType: 'application/json', ContentMD5 })
      await s3.call((client, options) => client.send(command, options)).catch((error) => Promise.reject(fromS3(error)))
    },
  }
}
