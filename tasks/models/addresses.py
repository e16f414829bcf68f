"""Hide user names and passwords in addresses."""

from __future__ import annotations

import re

# An unquoted password may hold any character, so we cut rather too much than too little.
_USERINFO = re.compile(r"([^\w\s]*[A-Za-z][\w+.-]*://)(?:[^/?#]*|\S*)@|\S*@")


def shown(text: str) -> str:
    """Return a text without user names and passwords in its addresses."""
    return _USERINFO.sub(lambda match: match[1] or "", text)
