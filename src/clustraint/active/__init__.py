"""Questions whose answers help most: strategies that ask, and the session that drives them."""

from clustraint.active._log import AnswerFile, AnswerLog
from clustraint.active._merges import AskedMerges, KleinMerges
from clustraint.active._protocol import Answer, Query
from clustraint.active._session import Exchange, Session
from clustraint.active._strategies import STRATEGIES, register_strategy

__all__ = [
    "STRATEGIES",
    "Answer",
    "AnswerFile",
    "AnswerLog",
    "AskedMerges",
    "Exchange",
    "KleinMerges",
    "Query",
    "Session",
    "register_strategy",
]
