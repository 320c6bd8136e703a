"""Texts as weights of words, and as the topics that words make up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from clustraint.exceptions import ClustraintError
from clustraint.typing import FloatArray
from clustraint.wording import excerpt

# Words of at least two signs that begin with a letter.
WORD = r"(?u)\b[^\W\d_][\w']*\w\b"
# Topics: more of them bring back the noise of single words.
N_TOPICS = 50
# From so many texts on, a word that is in one text only compares nothing.
ENOUGH_TEXTS = 20
# A word in more than this share of many texts compares nothing either.
MOST_TEXTS = 0.5
# Languages whose stop words are so frequent beside those of the most frequent one count, too.
ALSO_SPOKEN = 0.3
SAMPLED_TEXTS = 1000

# English has scikit-learn's list. The others hold articles, pronouns, prepositions, conjunctions,
# and forms of to be, to have and to do, and the like.
STOP_WORDS = {
    "German": """aber alle als also am an auch auf aus bei bin bis bist da damit dann das dass dein
        dem den der des dich die dies diese diesem diesen dieser dieses dir doch dort du durch ein
        eine einem einen einer eines er es etwas euch euer für gegen gibt hab habe haben hat hatte
        hatten hier hin hinter ich ihm ihn ihnen ihr ihre im in ins ist ja jede jeden jeder jedes
        jetzt kann kein keine können man mehr mein meine mich mir mit muss nach nicht noch nun nur
        ob oder ohne schon sehr sein seine selbst sich sie sind so soll sondern über um und uns
        unser unter vom von vor war waren warum was weil weiter wenn wer werden wie wieder will wir
        wird wo wurde wurden zu zum zur zwar zwischen""",
    "French": """afin ai ainsi alors au aucun aussi autre aux avant avec avoir avait ce cela ces
        cet cette ceux chaque chez ci comme comment dans de des depuis donc dont du elle elles en
        encore entre est et étaient était être eu fait faire fois font ici il ils je la là le les
        leur leurs lui ma mais me même mes moi moins mon ne ni nos notre nous on ont ou où par pas
        pendant peu peut plus pour pourquoi puis quand que quel quelle qui quoi sa sans se ses si
        son sont sous sur ta te tes toi ton tous tout toute toutes très trop tu un une vers voici
        vos votre vous""",
    "Spanish": """al algo algunos ante antes aquí así aunque cada casi como con contra cual cuando
        de del desde donde dos el él ella ellas ellos en entre era eran es esa ese eso esta está
        están este esto estos fue fueron ha había han hasta hay la las le les lo los más me mi
        mientras muy nada ni no nos nosotros o os otra otro para pero poco por porque pues que qué
        quien se ser si sí sido sin sobre son su sus también tan tanto te tiene tienen todo todos
        tu tus un una uno unos usted y ya yo""",
    "Italian": """a ad agli ai al alla alle allo anche ancora che chi ci come con contro cui da
        dagli dai dal dalla dalle de degli dei del della delle dello di dove due e ed era erano
        essere fa fino fra fu gli ha hanno ho i il in io la là le lei li lo loro lui ma me
        mi mia mio molto ne negli nei nel nella nelle no noi non nostro o ogni per perché
        però più poi quale quando quasi quella quello questa queste questi questo qui quindi
        sa se sei senza si sia sono sta stato su sua sui sul sulla suo suoi te ti tra tu
        tutti tutto un una uno vi voi""",
    "Portuguese": """a ao aos as até com como da das de dela dele do dos e é ela elas ele eles em
        entre era essa esse esta está este eu foi foram há isso isto já lhe mais mas me mesmo meu
        minha muito na nas nem no nos nós não o os ou para pela pelo por porque quando que quem se
        sem ser seu seus só sua suas também te tem tinha tu tudo um uma umas uns você vocês""",
    "Dutch": """aan al alles als altijd andere ben bij daar dan dat de der deze die dit doch doen
        door dus een en er ge geen had heb hebben heeft hem het hier hij hoe hun ik in is ja je kan
        kon maar me meer men met mij mijn moet na naar niet niets nog nu of om omdat ons ook op over
        reeds te tegen toch toen tot u uit uw van veel voor want waren was wat we wel werd wie wil
        worden wordt zal ze zei zich zij zijn zo zonder zou""",
}


def stop_words(texts: Sequence[str]) -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the stop words of the languages that texts are in, and which these are.

    Examples
    --------
    >>> words, languages = stop_words(["Der Hund und die Katze sind im Haus"])
    >>> languages, "und" in words, "hund" in words
    (('German',), True, False)
    """
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer

    lists = {"English": frozenset(ENGLISH_STOP_WORDS)}
    lists |= {language: frozenset(words.split()) for language, words in STOP_WORDS.items()}
    every = sorted(frozenset().union(*lists.values()))
    counter = CountVectorizer(vocabulary=every, token_pattern=r"(?u)\b\w+\b")
    counts = np.asarray(counter.transform(texts[:SAMPLED_TEXTS]).sum(axis=0)).ravel()
    by_word = dict(zip(every, counts.tolist(), strict=True))
    # Words of several languages say nothing about the language.
    several = {word for word in every if sum(word in words for words in lists.values()) > 1}
    totals = {
        language: sum(by_word[word] for word in words - several)
        for language, words in lists.items()
    }
    most = max(totals.values())
    spoken = tuple(name for name, total in totals.items() if total and total >= ALSO_SPOKEN * most)
    return frozenset().union(*(lists[name] for name in spoken)), spoken


class TextTopics:
    """Texts as weights of words (tf-idf), and as topics (latent semantic analysis) of length 1.

    Words that are in every language's way, in one text only or in most texts are left out. Topics
    are the directions in which the weights vary most; texts are compared by the angle between
    them, which is the distance between vectors of length 1.

    Parameters
    ----------
    name : str
        The column, for errors.
    texts : sequence of str
        The texts to learn words from; "" for a missing one.

    Attributes
    ----------
    words : tuple of str
        The words.
    languages : tuple of str
        Languages whose stop words are left out.
    """

    def __init__(self, name: str, texts: Sequence[str]) -> None:
        stopped, self.languages = stop_words(texts)
        n_texts = sum(bool(text.strip()) for text in texts)
        many = n_texts >= ENOUGH_TEXTS
        self._vectorizer = _fitted(texts, stopped, 2 if many else 1, MOST_TEXTS if many else 1.0)
        if self._vectorizer is None:
            raise ClustraintError(
                f"column {excerpt(name)!r} holds no words of two letters or more to compare "
                "texts by; ignore it, or declare it nominal."
            )
        self.words: tuple[str, ...] = tuple(self._vectorizer.get_feature_names_out())
        self._axes = _topic_axes(self.weights(texts))

    @property
    def n_topics(self) -> int:
        """How many topics there are."""
        return len(self._axes)

    def weights(self, texts: Sequence[str]) -> Any:
        """Return the weight of each word in each text, as a sparse matrix of rows of length 1."""
        return sparse.csr_array(self._vectorizer.transform(texts))

    def topics(self, texts: Sequence[str]) -> FloatArray:
        """Return each text as a direction among topics; a text without known words is 0."""
        projected = np.asarray(self.weights(texts) @ self._axes.T)
        lengths = np.linalg.norm(projected, axis=1, keepdims=True)
        return projected / np.where(lengths > 1e-12, lengths, 1.0)


def _fitted(texts: Sequence[str], stopped: frozenset[str], least: int, most: float) -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer

    # Where the strict choice leaves no words, as among few or very short texts, others will do.
    for words, low, high in ((stopped, least, most), (stopped, 1, 1.0), (frozenset(), 1, 1.0)):
        vectorizer = TfidfVectorizer(
            stop_words=sorted(words) or None,
            min_df=low,
            max_df=high,
            sublinear_tf=True,
            token_pattern=WORD,
        )
        try:
            return vectorizer.fit(texts)
        except ValueError:
            continue
    return None


def _topic_axes(weights: Any) -> FloatArray:
    """Return the topics as rows of weights of words."""
    from sklearn.decomposition import TruncatedSVD

    smallest = min(weights.shape)
    if smallest <= 2:
        return np.eye(weights.shape[1])
    n_topics = min(N_TOPICS, smallest - 1)
    svd = TruncatedSVD(n_topics, random_state=0).fit(weights)
    return np.asarray(svd.components_)
