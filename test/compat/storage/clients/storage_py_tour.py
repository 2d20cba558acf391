"""One call of each kind of the Python client, unmodified, against BASE_URL; prints the last line `done` when all of it held."""

import os
import tempfile

import httpx
from storage3 import create_client
from storage3.utils import StorageException

key = os.environ["SERVICE_KEY"]
client = create_client(os.environ["BASE_URL"] + "/storage/v1/", {"Authorization": f"Bearer {key}", "apiKey": key}, is_async=False)

client.create_bucket("py", "py", {"public": True, "file_size_limit": 1_000_000})
bucket = client.get_bucket("py")
assert (bucket.id, bucket.owner, bucket.public, bucket.file_size_limit) == ("py", "", True, 1_000_000), bucket
assert "py" in [each.id for each in client.list_buckets()]
client.update_bucket("py", {"public": False})
assert client.get_bucket("py").public is False

files = client.from_("py")
assert files.upload("a/b.txt", b"hello", {"content-type": "text/plain", "cache-control": "3600"}).path == "a/b.txt"
with tempfile.NamedTemporaryFile() as file:
    file.write(b"x" * 1000)
    file.flush()
    files.upload("a/c.bin", file.name, {"content-type": "application/octet-stream", "x-upsert": "true", "metadata": {"k": "v"}})
files.update("a/b.txt", b"changed", {"content-type": "text/plain"})
assert files.download("a/b.txt") == b"changed"
info = files.info("a/c.bin")
assert (info["size"], info["metadata"]) == (1000, {"k": "v"}), info
assert files.exists("a/b.txt") and not files.exists("none")
assert [each["name"] for each in files.list("a")] == ["b.txt", "c.bin"]
assert httpx.get(files.create_signed_url("a/b.txt", 60)["signedURL"]).text == "changed"
assert [each["error"] is None for each in files.create_signed_urls(["a/b.txt", "none"], 60)] == [True, False]
files.upload_to_signed_url("up.txt", files.create_signed_upload_url("up.txt")["token"], b"up", {"content-type": "text/plain"})
assert files.download("up.txt") == b"up"
files.copy("a/b.txt", "a/d.txt")
files.move("a/d.txt", "a/e.txt")
assert files.download("a/e.txt") == b"changed"
try:
    files.download("none")
    raise AssertionError("an error was expected")
except StorageException as error:
    assert error.code == "not_found" and error.message == "Object not found", error
assert [each["name"] for each in files.remove(["a/b.txt", "none"])] == ["a/b.txt"]
client.empty_bucket("py")
client.delete_bucket("py")
print("done")
