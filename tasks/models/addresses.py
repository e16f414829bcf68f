"""Addresses as they may be shown: what stands before the @ of one may be a password."""

from __future__ import annotations

import re

# A password that is not quoted as it should be may hold any sign: rather too much is cut than too little.
_USERINFO = re.compile(r"([^\w\s]*[A-Za-z][\w+.-]*://)(?:[^/?#]*|\S*)@|\S*@")


def shown(text: str) -> str:
    """An address, or a text that may hold some, without the users' names and passwords in them."""
    return _USERINFO.sub(lambda found: found[1] or "", text)
