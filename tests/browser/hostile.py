"""Answers that a page must survive: taken for HTML, each would run, load or break something."""

from __future__ import annotations

HOSTILE = (
    "<script>window.hacked = 'script'</script>",
    "<img src=x onerror=\"window.hacked = 'onerror'\">",
    "<svg onload=\"window.hacked = 'onload'\"><animate onbegin=\"window.hacked = 'begin'\"/></svg>",
    "</script><script>window.hacked = 'closed'</script>",
    "</p></article></main><h1 id=injected>Injected</h1>",
    "<a href=\"javascript:window.hacked = 'href'\">click</a> javascript:alert(1)",
    "<style>body { display: none !important }</style><link rel=stylesheet href=https://example.org/x.css>",
    "<iframe src=https://example.org></iframe><object data=https://example.org></object>",
    "<!-- <script> <![CDATA[ ]]> -->",
    "{{ 7 * 7 }} {% raw %} ${7 * 7} #{7 * 7} <%= 7 * 7 %> `${window.hacked = 1}`",
    "&lt;script&gt;window.hacked = 'entity'&lt;/script&gt; &#60;b&#62;",
    "right to left: \u202etxt.exe\u202c and \u2066isolated\u2069",
    (
        "zero\u200bwidth\u200d\ufeff, soft\u00adhyphen, bell \u0007, "
        "escape \u001b[31m, null \u0000, line\u2028separator"
    ),
    "tags \U000e0041\U000e0042 and blank letters \u3164\u2800",
    "\r\nCRLF\rCR",
    "a" * 200_000,
    "width" * 400,
    '"onmouseover="window.hacked = 1" style="position:fixed;inset:0"',
    "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘G̴̻͈͍͔̹̑͗̎̅͛́Ǫ̵̹̻̝̳͂̌̌͘!͖̬̰̙̗̿̋ͥͥ̂ͣ̐́́͜͞",
    "",
)
