import type { FastifyReply, FastifyRequest } from 'fastify';
import { type UploadedObject, type Uploader } from '../../storage/object/upload-object.ts';
import type { WriteMode } from '../../storage/object/write-permission.ts';
import type { RouteContext } from './route-deps.ts';
import type { InObject } from './shapes.ts';
/** What the three ways to upload share: the file is the body itself, or the first file of a form. */
export declare function upload(context: RouteContext, request: FastifyRequest<InObject>, reply: FastifyReply, uploader: Uploader, mode: WriteMode): Promise<UploadedObject>;
