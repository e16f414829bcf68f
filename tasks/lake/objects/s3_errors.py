"""What boto3's errors mean for whoever runs a lake in S3, each a sentence that says what to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectionError,
    CredentialRetrievalError,
    HTTPClientError,
    NoCredentialsError,
    PartialCredentialsError,
    ProfileNotFound,
    SSOError,
    TokenRetrievalError,
)

from tasks.lake.objects import LakeError
from tasks.models.addresses import shown

_NO_KEYS = (
    "no credentials for S3 were found; set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or run where "
    "the machine has a role"
)
_WRONG_REGION = "the bucket is in another region than the one asked; set AWS_REGION to the bucket's"

# S3's error code -> what to do. HEAD has no body, so that of its errors only the status is known.
_MENDS = {
    "NoSuchBucket": "there is no such bucket; make it, for instance with `aws s3 mb`, or choose another --lake",
    "AccessDenied": "the credentials may not do that; they need s3:ListBucket, s3:GetObject, s3:PutObject, "
    "s3:DeleteObject, s3:AbortMultipartUpload and s3:ListBucketMultipartUploads for this bucket",
    "InvalidAccessKeyId": "the storage does not know the access key; check AWS_ACCESS_KEY_ID, AWS_PROFILE and "
    "AWS_ENDPOINT_URL",
    "SignatureDoesNotMatch": "the secret key does not fit the access key; check AWS_SECRET_ACCESS_KEY",
    "ExpiredToken": "the credentials have expired; sign in again",
    "RequestTimeTooSkewed": "this machine's clock is wrong; set it",
    "PermanentRedirect": _WRONG_REGION,
    "AuthorizationHeaderMalformed": _WRONG_REGION,
    "IllegalLocationConstraintException": _WRONG_REGION,
    "SlowDown": "the storage takes no more requests for now, also after waiting; run it again, with fewer --workers",
}
_MENDS |= {
    "403": _MENDS["AccessDenied"],
    "301": _WRONG_REGION,
    "InvalidToken": _MENDS["ExpiredToken"],
    "503": _MENDS["SlowDown"],
}


@contextmanager
def explained(url: str) -> Iterator[None]:
    """Tell boto3's failures within the block in a sentence.

    Raises:
        LakeError: in place of any `ClientError` or `BotoCoreError`; it names the lake, never a key, a signature or what
            an address holds of a password. Nor does it lead to what it is in place of, which a log would tell, too.
    """
    try:
        yield
    except (ClientError, BotoCoreError) as error:
        raise LakeError(f"cannot use the lake {url}: {shown(_sentence(error))}") from None


def code_of(error: Exception) -> str:
    """S3's name of an error, such as `NoSuchKey`; empty when there was no answer."""
    return str(error.response["Error"].get("Code", "")) if isinstance(error, ClientError) else ""


def status_of(error: Exception) -> int:
    """The answer's HTTP status; 0 when there was no answer."""
    if not isinstance(error, ClientError):
        return 0
    return int(error.response["ResponseMetadata"].get("HTTPStatusCode", 0))


def may_be_done(error: Exception) -> bool:
    """Whether a write that ended so may have been carried out, by this try or one before it.

    404 is that of a multipart upload which is complete, or of an object that is gone since.
    """
    return status_of(error) in (0, 404, 412) or status_of(error) >= 500


def _sentence(error: ClientError | BotoCoreError) -> str:
    if isinstance(error, ClientError):
        code = code_of(error)
        said = f"{error.operation_name} was answered {status_of(error)} {code}".rstrip()
        mend = _MENDS.get(code)
        if mend is None:
            return f"{said} ({error.response['Error'].get('Message', 'no reason given')})"
        return f"{mend} ({said})"
    if isinstance(error, NoCredentialsError):
        return _NO_KEYS
    if isinstance(error, PartialCredentialsError | ProfileNotFound):
        return f"{error}; set what is missing"
    if isinstance(error, CredentialRetrievalError | TokenRetrievalError | SSOError):
        return f"{error}; sign in again, for instance with `aws sso login`"
    if type(error) is HTTPClientError:  # its message is that of any library below, such as half of an address
        cause = type(error.kwargs["error"]).__name__
        return f"asking the storage failed ({cause}); are AWS_ENDPOINT_URL and HTTPS_PROXY right?"
    if isinstance(error, HTTPClientError | ConnectionError):
        return f"{error}; is AWS_ENDPOINT_URL right, and does the server answer? What is finished is kept: run it again"
    return f"{type(error).__name__}: {error}"
