"""What the misspellings draw from: an English word list and a dictionary of known typos.

The word list is pyspellchecker's English frequency list (160,000 words, counts from film
subtitles, so it carries first names and slang); the typos are codespell's dictionary,
which grew out of Wikipedia's list of common misspellings, read from right to wrong. Both
are installed packages, read once per process (0.1 s each) and only when a query is
misspelled.
"""

from __future__ import annotations

import gzip
import json
from functools import cache, lru_cache
from importlib.resources import files
from string import ascii_lowercase

# A real-word confusion must be with a word that people know; 1,000 keeps 19,000 words.
_KNOWN_WORD_COUNT = 1000

# Parts of two letters that a reader takes for a word or a prefix.
_SHORT_PARTS = frozenset(
    "am an as at be by do ex go he if in is it me my no of on or re so to un up us we".split()
)

# Results that would change what is asked instead of how it is spelled: negations and
# numbers, and finance words that turn one sound question into another.
_MEANING_CHANGERS = frozenset(
    """
    no not nor none never non one two three four five six seven eight nine ten zero first second third
    million billion trillion thousand hundred half
    asset assets bond bonds capital cash cost costs debt debts due equity fee fees gain gains goods gross
    income lease leases loan loans loss losses margin note notes option options pension price prices profit
    profits rate rates rent revenue rise risk risks sale sales share shares stock stocks tax taxes term terms
    unit units vest wage wages year years
    """.split()
)

# First names, interjections, foreign words and slurs of the subtitle list: no one reads
# them as a slip of the pen, and some are no fit for a benchmark.
_UNFIT_RESULTS = frozenset(
    """
    ass arse asses bitch boob boobs butt chink coon cock cocks crap cum cunt damn dick dicks dong dyke fag fags
    fuck gay god hell hoe hoes homo jew jews kike negro nazi nude nuts penis piss poo poop porn prick pussy rape
    raped raper rapist screw sex sexy shat shit slag slut spic suck sucks tit tits turd twat wank whore wog
    abe ada adam alan ali allen amy andy ann anna anne annie art ben benny bert beth bill billy bob bobby brad
    carl charles che chen chris clay cole dale dan dana danny dean della dick don doug drew earl ed eddie ella
    emma eric erik eva eve fred gary gene glen greg gus guy hal hank hans harry henry ian ivan jack jake james
    jan jane jay jean jed jeff jen jerry jess jill jim jimmy joan joe joel joey john jon josh juan jude karl
    kate kay ken kim kirk kurt lana lars lee len leo les lisa liz lois lou lucy luke lynn marc marge maria mark
    marty mary matt max meg mel mia mick mike mimi molly mona nate ned neil nick nina nora norm otto owen pam
    pat paul peg pete phil ray rex rich rick rita rob rod roger ron rory rose ross roy russ ruth ryan sally sam
    sara sarah saul sean seth stan sue tara ted terry theo tim tina tod todd tom tommy tony troy vera vic vito
    walt wendy will willy wong yang yong zach
    ada ah aha ai aka al ale ami aye bah ca che chi con coz dah dee del dem den der des die dis doo eh em en er
    es est et eta fa ga gee gin ha hah hee heh hey hm ho hon hoo huh ids ifs ike kin la le li lo ma mac mai mam
    mes mi mic mid min mo moi mon moo mu na nah nan ni oi om oo ooh ow pas pee per pi po pro qui que ra ref rep
    ain bong casa ing mana rom sac san sec shh si sic sir sis sol son sur ta tai te tee ti til ton tu ty ugh uh um una une ur va van vat ve
    via viva von wan wo wow xu ya yah yak yay ye yea yeah yen yep yer yo yon yous
    """.split()
)

# Words that open questions; a slip from one to another asks something else.
QUESTION_WORDS = frozenset("what which who whom whose when where why how".split())


@cache
def word_counts() -> dict[str, int]:
    """How often each English word occurs, in pyspellchecker's corpus; words of letters only."""
    packed = files("spellchecker").joinpath("resources", "en.json.gz").read_bytes()
    return {
        word: n
        for word, n in json.loads(gzip.decompress(packed)).items()
        if word.isascii() and word.isalpha()
    }


@cache
def typos() -> dict[str, tuple[str, ...]]:
    """Right word -> the ways in which people get it wrong, in the dictionary's order.

    Left out: entries with several fixes or a note (a comma marks both), and entries that
    are not one plain word on either side.
    """
    listed: dict[str, list[str]] = {}
    lines = files("codespell_lib").joinpath("data", "dictionary.txt").read_text(encoding="utf-8").splitlines()
    for line in lines:
        wrong, arrow, right = line.partition("->")
        if arrow and wrong.isascii() and wrong.isalpha() and right.isascii() and right.isalpha():
            listed.setdefault(right.lower(), []).append(wrong.lower())
    return {right: tuple(wrong) for right, wrong in listed.items()}


@lru_cache(maxsize=50_000)
def confusions(word: str) -> tuple[str, ...]:
    """Known words at one edit from a lower-case word: a letter more, less or other, or two swapped.

    A mere plural or past tense of the word is no confusion and is left out.
    """
    counts = word_counts()
    near = {word[:i] + letter + word[i:] for i in range(len(word) + 1) for letter in ascii_lowercase}
    for i in range(len(word)):
        near.add(word[:i] + word[i + 1 :])
        near.update(word[:i] + letter + word[i + 1 :] for letter in ascii_lowercase)
        near.add(word[:i] + word[i + 1 : i + 2] + word[i] + word[i + 2 :])
    near.discard(word)
    return tuple(sorted(other for other in near if _is_confusable(word, other, counts)))


def _is_confusable(word: str, other: str, counts: dict[str, int]) -> bool:
    if counts.get(other, 0) < _KNOWN_WORD_COUNT or len(other) < 2:
        return False
    if len(other) == 2 and other not in _SHORT_PARTS:
        return False
    if other in _UNFIT_RESULTS or other in _MEANING_CHANGERS:
        return False
    if word in QUESTION_WORDS and other in QUESTION_WORDS:
        return False
    longer, shorter = (word, other) if len(word) > len(other) else (other, word)
    return not (longer[:-1] == shorter and longer[-1] in "sdr")


@lru_cache(maxsize=50_000)
def compound_breaks(word: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Where a lower-case word falls into two words: (between two known ones, between two listed ones).

    Known parts are frequent words of three letters or more, or one of a few short ones
    ("news|paper", "in|come"); listed parts are any two in the word list of two letters or more
    ("con|version"), second choice because the list holds many rare ones.
    """
    counts = word_counts()
    known: list[int] = []
    listed: list[int] = []
    for i in range(2, len(word) - 1):
        parts = word[:i], word[i:]
        if all(_is_known_part(part, counts) for part in parts):
            known.append(i)
        elif all(part in counts for part in parts):
            listed.append(i)
    return tuple(known), tuple(listed)


def _is_known_part(part: str, counts: dict[str, int]) -> bool:
    if len(part) == 2:
        return part in _SHORT_PARTS
    return counts.get(part, 0) >= _KNOWN_WORD_COUNT
