import { constant, join, nothing, sql, toStatement, value } from '../../sqltext/sql.js';
import { bytes } from '../../std/brand.js';
import { isoTime, isTrue, uuidOrNull } from './columns.js';
import { textArray } from './text-array.js';
/** No RETURNING: making a bucket takes the right to insert alone. */
export const insertBucket = (bucket) => ({
    text: `/* buckets.insert */
    insert into storage.buckets (id, name, owner, owner_id, public, file_size_limit, allowed_mime_types)
    values ($1::text, $2::text, $3::uuid, $4::text, $5::boolean, $6::bigint, $7::text[])`,
    values: [
        bucket.id,
        bucket.name,
        uuidOrNull(bucket.ownerId),
        bucket.ownerId,
        String(bucket.public),
        bucket.fileSizeLimit === null ? null : String(bucket.fileSizeLimit),
        bucket.allowedMediaTypes && textArray(bucket.allowedMediaTypes),
    ],
});
const RECORD = `id, name, owner, public, file_size_limit, to_json(allowed_mime_types), ${isoTime('created_at')}, ${isoTime('updated_at')}`;
export function bucketRecord(row) {
    const [id, name, owner, isPublic, limit, types, createdAt, updatedAt] = row;
    return {
        id: id ?? '',
        name: name ?? '',
        owner: owner ?? '',
        public: isTrue(isPublic),
        file_size_limit: limit == null ? null : Number(limit),
        allowed_mime_types: types == null ? null : JSON.parse(types),
        created_at: createdAt ?? null,
        updated_at: updatedAt ?? null,
    };
}
export const findBucket = (id) => ({
    text: `/* buckets.find */
    select ${RECORD}
      from storage.buckets
     where id = $1::text`,
    values: [id],
});
/** Names are compared by bytes, so the order is the same in every locale; ties by id. */
export function listBuckets({ search, order, limit, offset }) {
    const where = search === null ? nothing : sql `\n     where name ilike ${value(`%${search.replaceAll(/[\\%_]/g, '\\$&')}%`)}::text`;
    return toStatement(sql `/* buckets.list */
    select ${constant(RECORD)}
      from storage.buckets${where}${order ? orderBy(order) : nothing}
     limit ${value(limit === null ? null : String(limit))}::bigint
    offset ${value(String(offset))}::bigint`);
}
function orderBy({ column, direction }) {
    const collation = column === 'id' || column === 'name' ? ' collate "C"' : '';
    return constant(`\n     order by ${column}${collation} ${direction}, id collate "C" ${direction}`);
}
/** One row when there was one to change. */
export function updateBucket(id, changes) {
    const { fileSizeLimit: limit, allowedMediaTypes: types } = changes;
    const set = [];
    if (changes.public !== undefined)
        set.push(sql `public = ${value(String(changes.public))}::boolean`);
    if (limit !== undefined)
        set.push(sql `file_size_limit = ${value(limit === null ? null : String(limit))}::bigint`);
    if (types !== undefined)
        set.push(sql `allowed_mime_types = ${value(types && textArray(types))}::text[]`);
    set.push(sql `updated_at = greatest(clock_timestamp(), updated_at)`);
    return toStatement(sql `/* buckets.update */
    update storage.buckets
       set ${join(set, ',\n           ')}
     where id = ${value(id)}::text
    returning id`);
}
/** As service: one row when the bucket exists, `t` when something lies in it. */
export const isBucketFull = (id) => ({
    text: `/* buckets.is_full */
    select exists (select from storage.objects where bucket_id = $1::text)
      from storage.buckets
     where id = $1::text`,
    values: [id],
});
/** One row when there was one. A bucket that holds objects is kept by their foreign key. */
export const deleteBucket = (id) => ({
    text: `/* buckets.delete */
    delete from storage.buckets
     where id = $1::text
    returning id`,
    values: [id],
});
/** As service: what the bucket asks of objects, and what lies under the key now. No row: no bucket. */
export const findUploadRules = (id, key) => ({
    text: `/* buckets.find_upload_rules */
    select b.file_size_limit,
           to_json(b.allowed_mime_types),
           o.id is not null,
           o.version,
           o.metadata ->> 'eTag'
      from storage.buckets b
      left join storage.objects o
        on o.bucket_id = b.id
       and o.name = $2::text
     where b.id = $1::text`,
    values: [id, key],
});
export function uploadRules(row) {
    if (!row)
        return null;
    const [limit, types, taken, version, etag] = row;
    return {
        fileSizeLimit: limit == null ? null : bytes(Number(limit)),
        allowedMediaTypes: types == null ? null : JSON.parse(types),
        current: isTrue(taken) ? { version: version ?? null, etag: etag ?? null } : null,
    };
}
