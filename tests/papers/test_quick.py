"""The quick run of each paper, from the first cell to the page."""

import pytest

from papers import PAPERS, reproduce


def no_network(address):
    raise OSError("tests fetch nothing")


@pytest.mark.parametrize("cells", [4, pytest.param(None, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", PAPERS)
def test_the_quick_run_works_end_to_end(name, cells, tmp_path, monkeypatch):
    monkeypatch.delenv("CLUSTRAINT_DATA", raising=False)
    monkeypatch.setattr("clustraint.datasets._files.cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr("clustraint.datasets._openml.open_url", no_network)
    (done,) = reproduce([name], size="quick", folder=tmp_path, n_jobs=1, cells=cells)
    faults = {trouble.reason for trouble in done.run.troubles if not trouble.missing_data}
    assert faults == set()
    assert done.run.done > 0
    assert any(judged.finding.estimates for judged in done.page.judged)
    page = done.path.read_text()
    for part in (tmp_path / name).glob("*.svg"):
        assert f'src="{name}/{part.name}"' in page
    assert list((tmp_path / name).glob("*.svg"))
