"""Translate boto3's errors into sentences that say what to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectionError,
    HTTPClientError,
    NoCredentialsError,
    PartialCredentialsError,
    ProfileNotFound,
)

from tasks.lake.objects import LakeError
from tasks.models.addresses import shown

_DENIED = (
    "the credentials do not allow that. They need s3:ListBucket, s3:GetObject, s3:PutObject and "
    "s3:DeleteObject for this bucket"
)

# S3's error code -> what to do, if S3's own message does not say it. HEAD has no body, so that its
# errors have only a status.
_MENDS = {
    "NoSuchBucket": "there is no such bucket. Make it with `aws s3 mb`, or choose another --lake",
    "AccessDenied": _DENIED,
    "403": _DENIED,
    "InvalidAccessKeyId": "the storage does not know the access key. Check AWS_ACCESS_KEY_ID, "
    "AWS_PROFILE and AWS_ENDPOINT_URL",
    "PermanentRedirect": "the bucket is in another region. Set AWS_REGION to the bucket's",
    "SlowDown": "the storage refuses further requests. Run it again, with fewer --workers",
}


@contextmanager
def explained(url: str) -> Iterator[None]:
    """Raise boto3's errors in the block as `LakeError`.

    It never names a key, signature or password, and has no cause, which a log would show.
    """
    try:
        yield
    except (ClientError, BotoCoreError) as error:
        raise LakeError(f"cannot use the lake {url}: {shown(_sentence(error))}") from None


def code_of(error: Exception) -> str:
    """Return S3's code of an error, such as `NoSuchKey`; empty if there was no answer."""
    return str(error.response["Error"].get("Code", "")) if isinstance(error, ClientError) else ""


def status_of(error: Exception) -> int:
    """Return the answer's HTTP status; 0 if there was no answer."""
    if not isinstance(error, ClientError):
        return 0
    return int(error.response["ResponseMetadata"].get("HTTPStatusCode", 0))


def _sentence(error: ClientError | BotoCoreError) -> str:
    if isinstance(error, ClientError):
        code = code_of(error)
        answer = f"{error.operation_name} was answered {status_of(error)} {code}".rstrip()
        fix = _MENDS.get(code) or error.response["Error"].get("Message", "no reason given")
        return f"{fix} ({answer})"
    if isinstance(error, NoCredentialsError):
        return (
            "no credentials for S3 were found. Set AWS_PROFILE, or AWS_ACCESS_KEY_ID and "
            "AWS_SECRET_ACCESS_KEY, or run on a machine with a role"
        )
    if isinstance(error, PartialCredentialsError | ProfileNotFound):
        return f"{error}. Set what is missing"
    if type(error) is HTTPClientError:  # its message may hold half of an address
        cause = type(error.kwargs["error"]).__name__
        return f"the request failed ({cause}). Are AWS_ENDPOINT_URL and HTTPS_PROXY right?"
    if isinstance(error, HTTPClientError | ConnectionError):
        return f"{error}. Is AWS_ENDPOINT_URL right? Finished steps are kept: run it again"
    return f"{type(error).__name__}: {error}"
