"""A model that answers with the number of tokens that it was sent, and prefers the first answer.

`python tests/servers/chat_server.py --reply-rule tests.servers.token_counter:reply`
"""

from __future__ import annotations

from tasks.text.tokens import count_tokens


def reply(prompt: str) -> str:
    """Count all that the messages say."""
    return (
        f'{{"answer": "{count_tokens(prompt)}", "rationale": "first", "better_model": "model_1"}}'
    )
