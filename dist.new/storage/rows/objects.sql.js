import { isoTime, isTrue, uuidOrNull } from './columns.js';
import { textArray } from './text-array.js';
/** The last parameter says whether user metadata is wanted. */
const columns = (wantsUserMetadata) => `o.id,
           o.version,
           o.metadata ->> 'mimetype',
           o.metadata ->> 'size',
           o.metadata ->> 'eTag',
           o.metadata ->> 'cacheControl',
           o.metadata ->> 'xRobotsTag',
           o.metadata ->> 'lastModified',
           ${isoTime('o.created_at')},
           ${isoTime('o.updated_at')},
           case when ${wantsUserMetadata}::boolean then o.user_metadata end`;
function objectRow(row) {
    const [id, version, mediaType, size, etag, cacheControl, robotsTag, lastModified, createdAt, updatedAt, userMetadata] = row;
    return {
        id: id ?? '',
        version: version ?? null,
        mediaType: mediaType ?? null,
        size: wholeNumber(size),
        etag: etag ?? null,
        cacheControl: cacheControl ?? null,
        robotsTag: robotsTag ?? null,
        lastModified: firstDate(lastModified, updatedAt),
        createdAt: createdAt ?? null,
        updatedAt: updatedAt ?? null,
        userMetadata: userMetadata ?? null,
    };
}
// what stands in metadata may be anybody's text
function wholeNumber(text) {
    const number = Number(text ?? Number.NaN);
    return Number.isSafeInteger(number) && number >= 0 ? number : null;
}
function firstDate(...texts) {
    for (const text of texts) {
        const date = new Date(text ?? Number.NaN);
        if (!Number.isNaN(date.getTime()))
            return date;
    }
    return new Date(0);
}
const wants = (detail) => String(detail === 'to describe');
/** As service, for the routes that ask the bucket first: no row: no bucket; else whether it is public, and the object where there is one. */
export const findWithBucket = (bucket, key, detail) => ({
    text: `/* objects.find_with_bucket */
    select b.public,
           ${columns('$3')}
      from storage.buckets b
      left join storage.objects o
        on o.bucket_id = b.id
       and o.name = $2::text
     where b.id = $1::text`,
    values: [bucket, key, wants(detail)],
});
export function bucketAndObject(row) {
    if (!row)
        return null;
    const [isPublic, ...object] = row;
    return { public: isTrue(isPublic), object: object[0] == null ? null : objectRow(object) };
}
export const findObject = (bucket, key, detail) => ({
    text: `/* objects.find */
    select ${columns('$3')}
      from storage.objects o
     where o.bucket_id = $1::text
       and o.name = $2::text`,
    values: [bucket, key, wants(detail)],
});
export const foundObject = (row) => (row ? objectRow(row) : null);
const CANDIDATE = `insert into storage.objects as o (bucket_id, name, version, owner, owner_id, metadata, user_metadata)
    values ($1::text, $2::text, '1', $3::uuid, $4::text, $5::jsonb, $6::jsonb)`;
// the version is left alone, so that a rolled-back question releases no bytes; the owner goes over only when somebody is known
const REPLACE = `on conflict (bucket_id, name) do update
       set owner = case when excluded.owner_id is null then o.owner else excluded.owner end,
           owner_id = coalesce(excluded.owner_id, o.owner_id),
           metadata = excluded.metadata,
           user_metadata = coalesce(excluded.user_metadata, o.user_metadata)
    returning o.id`;
const candidateValues = ({ bucket, key, ownerId, metadata, userMetadata }) => [
    bucket,
    key,
    uuidOrNull(ownerId),
    ownerId,
    metadata,
    userMetadata,
];
/** To be rolled back. No RETURNING: a caller who may only insert may upload. */
export const tryInsert = (candidate) => ({
    text: `/* objects.try_insert */
    ${CANDIDATE}`,
    values: candidateValues(candidate),
});
/** To be rolled back. Row security asks for insert and select, and for update where the key is taken. */
export const tryReplace = (candidate) => ({
    text: `/* objects.try_replace */
    ${CANDIDATE}
    ${REPLACE}`,
    values: candidateValues(candidate),
});
function tryCopy(name, tail, sourceBucket, sourceKey, target) {
    return {
        text: `/* objects.${name} */
    insert into storage.objects as o (bucket_id, name, version, owner, owner_id, metadata, user_metadata)
    select $3::text, $4::text, '1', $5::uuid, $6::text,
           s.metadata || coalesce($7::jsonb, '{}'::jsonb),
           case when $8::boolean then s.user_metadata else $9::jsonb end
      from storage.objects s
     where s.bucket_id = $1::text
       and s.name = $2::text${tail}`,
        values: [
            sourceBucket,
            sourceKey,
            target.bucket,
            target.key,
            uuidOrNull(target.ownerId),
            target.ownerId,
            target.metadata,
            String(target.keepUserMetadata),
            target.userMetadata,
        ],
    };
}
/** To be rolled back, in a batch with {@link findObject} of the source: without a visible source nothing is inserted. */
export const tryCopyNew = (bucket, key, target) => tryCopy('try_copy_new', '', bucket, key, target);
/** As {@link tryCopyNew}, over what may be there. */
export const tryCopyOver = (bucket, key, target) => tryCopy('try_copy_over', `\n    ${REPLACE}`, bucket, key, target);
/**
 * One row when the caller may see and change the source. The bytes stay where they are; who moves becomes the owner.
 * Row security sees the new row whole, with its new bucket and name.
 */
export const moveObject = (bucket, key, to) => ({
    text: `/* objects.move */
    update storage.objects o
       set bucket_id = $3::text,
           name = $4::text,
           owner = case when $6::text is null then o.owner else $5::uuid end,
           owner_id = coalesce($6::text, o.owner_id)
     where o.bucket_id = $1::text
       and o.name = $2::text
    returning ${columns('false')}`,
    values: [bucket, key, to.bucket, to.key, uuidOrNull(to.ownerId), to.ownerId],
});
const RECORD = `o.name, o.bucket_id, o.owner, o.owner_id, o.version, o.id,
           ${isoTime('o.updated_at')},
           ${isoTime('o.created_at')},
           ${isoTime('o.last_accessed_at')},
           o.metadata,
           o.user_metadata`;
export function objectRecord(row) {
    const [name, bucket, owner, ownerId, version, id, updatedAt, createdAt, accessedAt, metadata, userMetadata] = row;
    return {
        name: name ?? '',
        bucket_id: bucket ?? '',
        owner: owner ?? '',
        owner_id: ownerId ?? '',
        version: version ?? '',
        id: id ?? '',
        updated_at: updatedAt ?? null,
        created_at: createdAt ?? null,
        last_accessed_at: accessedAt ?? null,
        metadata: metadata ?? null,
        user_metadata: userMetadata ?? null,
    };
}
export const recordObject = (bucket, key) => ({
    text: `/* objects.record */
    select ${RECORD}
      from storage.objects o
     where o.bucket_id = $1::text
       and o.name = $2::text`,
    values: [bucket, key],
});
/** One row for each that the caller may see and delete. Bytes are released by trigger. */
export const deleteObjects = (bucket, keys) => ({
    text: `/* objects.delete */
    delete from storage.objects o
     where o.bucket_id = $1::text
       and o.name = any ($2::text[])
    returning ${RECORD}`,
    values: [bucket, textArray(keys)],
});
/** As service: one row when there is such an object at all. */
export const objectExists = (bucket, key) => ({
    text: `/* objects.exists */
    select 1
      from storage.objects o
     where o.bucket_id = $1::text
       and o.name = $2::text`,
    values: [bucket, key],
});
/** The names among `keys` that the caller may see. */
export const visibleNames = (bucket, keys) => ({
    text: `/* objects.visible_names */
    select o.name
      from storage.objects o
     where o.bucket_id = $1::text
       and o.name = any ($2::text[])`,
    values: [bucket, textArray(keys)],
});
/** One row: how many objects lie in the bucket, counted no further than `most`; and what time the database has. */
export const countObjects = (bucket, most) => ({
    text: `/* objects.count */
    select count(*), clock_timestamp()
      from (select from storage.objects where bucket_id = $1::text limit $2::bigint) as counted`,
    values: [bucket, String(most)],
});
/** As service: up to `limit` of the objects that have lain there unchanged since before `instant` (a timestamptz of the database's). */
export const deleteUnchanged = (bucket, instant, limit) => ({
    text: `/* objects.delete_unchanged */
    delete from storage.objects o
     where o.id in (
             select s.id
               from storage.objects s
              where s.bucket_id = $1::text
                and coalesce(s.created_at, '-infinity') <= $2::timestamptz
                and coalesce(s.updated_at, '-infinity') <= $2::timestamptz
              limit $3::bigint
           )
       and o.bucket_id = $1::text
       and coalesce(o.updated_at, '-infinity') <= $2::timestamptz
    returning 1`,
    values: [bucket, instant, String(limit)],
});
/**
 * As service, in front of a publication: locks the row and fails (SQLSTATE 22012, division by zero) unless it still has that version,
 * which undoes the whole batch. So a conditional write cannot lose another one.
 */
export const requireVersion = (bucket, key, version) => ({
    text: `/* objects.require_version */
    select 1 / count(*)
      from (
             select
               from storage.objects o
              where o.bucket_id = $1::text
                and o.name = $2::text
                and o.version = $3::text
                for update
           ) as unchanged`,
    values: [bucket, key, version],
});
export const VERSION_CHANGED = '22012';
