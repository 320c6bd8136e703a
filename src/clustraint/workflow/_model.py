"""A fitted model in a file that runs no code when it is loaded."""

from __future__ import annotations

import importlib
import io
import json
import os
import pickle
import struct
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

import clustraint
from clustraint.exceptions import ClustraintError, ModelFileError
from clustraint.files import write_whole
from clustraint.machine import check_memory
from clustraint.tables import SampleTable, TableEncoder, read_table
from clustraint.wording import listed
from clustraint.workflow._clustering import Clustering

HEADER = "clustraint.json"
FORMAT = 1
ZIP_START = b"PK\x03\x04"
# Of pickles: plain, and as joblib compresses them.
PICKLE_STARTS = (b"\x80", b"\x78", b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"ZF")


@dataclass(frozen=True, eq=False)
class ClusterModel:
    r"""Fitted clusters that place new samples, and can be saved.

    The file is one of `skops <https://skops.readthedocs.io>`_: a zip archive of arrays and JSON,
    which is read without running code from it. Beside them is a header with versions and columns.

    Attributes
    ----------
    pipeline : Pipeline
        The fitted steps, encode and cluster.
    method : str
        The method by name.
    names : dict
        What the clusters are called.

    Examples
    --------
    >>> import io, tempfile
    >>> from clustraint.tables import read_table
    >>> from clustraint.workflow import ClusterModel, cluster_table
    >>> table = read_table(io.BytesIO(b"name,x\na,1\nb,2\nc,8\nd,9\n"))
    >>> clustering = cluster_table(table, n_clusters=2, method="tree")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = ClusterModel.of(clustering, {0: "high", 1: "low"}).save(f"{folder}/m.skops")
    ...     model = ClusterModel.load(path)
    >>> model
    ClusterModel(tree: high, low)
    >>> model.predict(io.BytesIO(b"name,x\ne,3\nf,7\n"))
    array([1, 0], dtype=int32)
    """

    pipeline: Pipeline
    method: str
    names: dict[Any, str]

    @classmethod
    def of(cls, clustering: Clustering, names: dict[Any, str] | None = None) -> ClusterModel:
        r"""Return the model that made clusters.

        Parameters
        ----------
        clustering : Clustering
            The clusters.
        names : dict, optional
            What they are called, by default ``cluster 0`` and so on.

        Examples
        --------
        >>> import io
        >>> from clustraint.tables import read_table
        >>> from clustraint.workflow import ClusterModel, cluster_table
        >>> table = read_table(io.BytesIO(b"name,x\na,1\nb,2\nc,8\nd,9\n"))
        >>> ClusterModel.of(cluster_table(table, n_clusters=2, method="tree"))
        ClusterModel(tree: cluster 0, cluster 1)
        """
        names = names or {cluster: f"cluster {cluster}" for cluster in clustering.sizes}
        return cls(clustering.pipeline, clustering.choice.method.name, dict(names))

    @property
    def columns(self) -> tuple[tuple[str, str], ...]:
        """The columns that a table must have, each with its kind."""
        return tuple(self.pipeline["encode"].columns_)

    def read(self, data: Any, **options: Any) -> SampleTable:
        r"""Return new samples as a table that is read as the first one was.

        Parameters
        ----------
        data : path, binary file, DataFrame or SampleTable
            What `read_table` takes.
        **options
            How its file is read, such as `delimiter`: further arguments of `read_table`.

        Raises
        ------
        UnknownColumnError
            If a column of the model is not there.

        Examples
        --------
        >>> import io
        >>> from clustraint.tables import read_table
        >>> from clustraint.workflow import ClusterModel, cluster_table
        >>> table = read_table(io.BytesIO(b"name,x\na,1\nb,2\nc,8\nd,9\n"))
        >>> model = ClusterModel.of(cluster_table(table, n_clusters=2, method="tree"))
        >>> model.read(io.BytesIO(b"name,x\ne,3\n"))
        SampleTable(1 sample: x (numeric); names from name)
        """
        if isinstance(data, SampleTable):
            return data
        return read_table(data, **{**self.pipeline["encode"].arguments_, **options})

    def predict(self, data: Any) -> NDArray[Any]:
        r"""Return the cluster of each new sample.

        Parameters
        ----------
        data : path, binary file, DataFrame or SampleTable
            The samples; columns that the model does not have are left out.

        Returns
        -------
        ndarray of shape (n_samples,)

        Raises
        ------
        UnknownColumnError
            If a column of the model is not there.

        Examples
        --------
        >>> import io
        >>> from clustraint.tables import read_table
        >>> from clustraint.workflow import ClusterModel, cluster_table
        >>> table = read_table(io.BytesIO(b"name,x\na,1\nb,2\nc,8\nd,9\n"))
        >>> model = ClusterModel.of(cluster_table(table, n_clusters=2, method="tree"))
        >>> model.predict(table)
        array([1, 1, 0, 0], dtype=int32)
        """
        return np.asarray(self.pipeline.predict(self.read(data)))

    def save(self, path: str | os.PathLike[str]) -> Path:
        r"""Write the model to a file, all at once.

        Parameters
        ----------
        path : str or PathLike
            The file; its name should end in ``.skops``.

        Raises
        ------
        OutputFileError
            If it cannot be written; nothing is left behind then.

        Examples
        --------
        >>> import io, tempfile
        >>> from clustraint.tables import read_table
        >>> from clustraint.workflow import ClusterModel, cluster_table
        >>> table = read_table(io.BytesIO(b"name,x\na,1\nb,2\nc,8\nd,9\n"))
        >>> model = ClusterModel.of(cluster_table(table, n_clusters=2, method="tree"))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save(f"{folder}/model.skops").name
        'model.skops'
        """
        from skops.io import dumps

        header = _versions() | {
            "format": FORMAT,
            "method": self.method,
            "names": [[cluster, name] for cluster, name in self.names.items()],
        }
        buffer = io.BytesIO(dumps(self.pipeline))
        with zipfile.ZipFile(buffer, "a", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(HEADER, json.dumps(header, indent=1))
        return write_whole(path, buffer.getvalue())

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], *, trusted: Sequence[str] = (), pickles: bool = False
    ) -> ClusterModel:
        r"""Read a model that `save` wrote, without running code from the file.

        Parameters
        ----------
        path : str or PathLike
            The file.
        trusted : sequence of str
            Classes other than those of clustraint, scikit-learn, numpy and scipy that may be in
            it, such as ``"their_package.TheirClusterer"``.
        pickles : bool, default=False
            Whether to load a pickle of a pipeline, as joblib writes it, all the same. It can run
            any code: only where you know who made the file.

        Raises
        ------
        ModelFileError
            If it is not such a file, is truncated, is of another version, or holds classes that
            are not trusted.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> from clustraint.workflow import ClusterModel
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder) / "model.skops"
        ...     _ = path.write_text("dog = wolf")
        ...     ClusterModel.load(path)  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        clustraint.exceptions.ModelFileError: ...model.skops is not a saved model, ...
        """
        try:
            content = Path(path).read_bytes()
        except OSError as error:
            raise ModelFileError(path, f"cannot be read: {error.strerror or error}") from error
        if not content.startswith(ZIP_START):
            return cls._of_pickle(path, content, pickles)
        header = _header(path, content)
        pipeline = _pipeline(path, content, trusted)
        return cls(pipeline, str(header["method"]), header["names"])

    @classmethod
    def _of_pickle(
        cls, path: str | os.PathLike[str], content: bytes, pickles: bool
    ) -> ClusterModel:
        if not content.startswith(PICKLE_STARTS):
            raise ModelFileError(path, "is not a saved model, which ClusterModel.save writes")
        if not pickles:
            problem = (
                "seems to be a pickle, which can run any code when it is loaded; save the model"
            )
            raise ModelFileError(path, f"{problem} again, or say that you trust it (pickles=)")
        import joblib

        try:
            pipeline = joblib.load(io.BytesIO(content))
        except (pickle.UnpicklingError, EOFError, OSError, ValueError, AttributeError) as error:
            raise ModelFileError(path, f"cannot be unpickled: {error}") from error
        _check_pipeline(path, pipeline)
        clusters = np.unique(pipeline["cluster"].labels_).tolist()
        method = type(pipeline["cluster"]).__name__
        return cls(pipeline, method, {cluster: f"cluster {cluster}" for cluster in clusters})

    def __repr__(self) -> str:
        return f"ClusterModel({self.method}: {', '.join(self.names.values())})"


def _versions() -> dict[str, str]:
    import sklearn

    return {"clustraint": clustraint.__version__, "scikit-learn": sklearn.__version__}


def _header(path: str | os.PathLike[str], content: bytes) -> dict[str, Any]:
    """Return the header of a file that is whole and of this version."""
    damaged = ModelFileError(path, "is truncated or damaged; save the model again")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            size = sum(each.file_size for each in archive.infolist())
            check_memory(f"the model in {path}", size, None, "take a larger machine")
            if archive.testzip() is not None:
                raise damaged
            if HEADER not in archive.namelist():
                raise ModelFileError(path, "is a zip archive, but not a saved model")
            header = json.loads(archive.read(HEADER))
            names = {cluster: str(name) for cluster, name in header["names"]}
    except ClustraintError:
        raise
    # Of a damaged archive nearly anything is raised, RuntimeError for what is not implemented.
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        OSError,
        ValueError,
        LookupError,
        TypeError,
        RuntimeError,
        struct.error,
    ):
        raise damaged from None
    for package, version in _versions().items():
        saved = str(header.get(package))
        if header.get("format") != FORMAT or saved.split(".")[:2] != version.split(".")[:2]:
            raise ModelFileError(
                path,
                f"was saved by {package} {saved:.20}, but this is {package} {version}: save the "
                "model again, or install that version",
            )
    return {**header, "names": names}


def _pipeline(path: str | os.PathLike[str], content: bytes, trusted: Sequence[str]) -> Any:
    """Return the pipeline of a file, if it holds nothing but classes that are trusted."""
    from skops.io import get_untrusted_types, loads

    try:
        unknown = [
            name
            for name in get_untrusted_types(data=content)
            if name not in trusted and not _is_own_class(name)
        ]
        if unknown:
            names = listed(unknown[:5]) + (" and others" if len(unknown) > 5 else "")
            problem = f"holds what is not trusted, {names}; name it if you know who made the file"
            raise ModelFileError(path, f"{problem} (trusted=)")
        pipeline = loads(content, trusted=get_untrusted_types(data=content))
    except ClustraintError:
        raise
    # The file has passed all checks of a whole archive, so somebody has changed what is in it.
    except Exception as error:
        problem = f"cannot be read ({type(error).__name__}); save the model again"
        raise ModelFileError(path, problem) from error
    _check_pipeline(path, pipeline)
    return pipeline


def _is_own_class(name: str) -> bool:
    """Tell whether a name is that of a class of clustraint: never a function, which might act."""
    module, _, member = name.rpartition(".")
    if not module.startswith("clustraint."):
        return False
    try:
        value = getattr(importlib.import_module(module), member)
    except (ImportError, AttributeError):
        return False
    return isinstance(value, type) and value.__module__.startswith("clustraint.")


def _check_pipeline(path: str | os.PathLike[str], pipeline: Any) -> None:
    is_ours = isinstance(pipeline, Pipeline) and {"encode", "cluster"} <= set(pipeline.named_steps)
    if not is_ours or not isinstance(pipeline["encode"], TableEncoder):
        raise ModelFileError(path, "does not hold the steps encode and cluster of a saved model")
