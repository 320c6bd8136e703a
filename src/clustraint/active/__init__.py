"""Questions whose answers help most: strategies that ask, and the session that drives them."""

from clustraint.active._balanced import BalancedPairs
from clustraint.active._expected_change import ExpectedChange
from clustraint.active._explore import ExploreConsolidate
from clustraint.active._log import Agreement, AnswerFile, AnswerLog, LoggedAnswer
from clustraint.active._merges import AskedMerges, KleinMerges
from clustraint.active._min_max import MinMax
from clustraint.active._progress import SessionProgress, share_changed
from clustraint.active._protocol import Answer, Query
from clustraint.active._session import Exchange, Session
from clustraint.active._strategies import STRATEGIES, register_strategy
from clustraint.active._super_instances import SuperInstances
from clustraint.active._triplets import (
    TripletAnswer,
    TripletInsertion,
    TripletQuery,
    ask_triplets,
)
from clustraint.active._uncertainty import NormalisedUncertainty

__all__ = [
    "STRATEGIES",
    "Agreement",
    "Answer",
    "AnswerFile",
    "AnswerLog",
    "AskedMerges",
    "BalancedPairs",
    "Exchange",
    "ExpectedChange",
    "ExploreConsolidate",
    "KleinMerges",
    "LoggedAnswer",
    "MinMax",
    "NormalisedUncertainty",
    "Query",
    "Session",
    "SessionProgress",
    "SuperInstances",
    "TripletAnswer",
    "TripletInsertion",
    "TripletQuery",
    "ask_triplets",
    "register_strategy",
    "share_changed",
]
