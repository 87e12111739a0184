"""The same table from a Dask cluster, even when one of its workers is killed in the middle."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.odds.test_balance import table
from warhost.errors import UsageError
from warhost.packs import Ruleset
from warhost_odds.balance import Progress
from warhost_odds.workers import Cluster

PLENTY = 400
"""Trials: so many that a pairing takes a while."""


def test_one_of_two_workers_killed_half_way(tavern: Ruleset, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    whole = table(out=tmp_path / "whole.sqlite", trials=PLENTY)
    killed: list[int] = []
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, local_directory=str(tmp_path),
    ) as cluster:  # fmt: skip
        pids = sorted(nanny.pid for nanny in cluster.workers.values())
        assert len(set(pids)) == 2

        def kill_one(now: Progress) -> None:
            if now.last is not None and now.done * 2 >= now.total and not killed:
                killed.append(pids[0])
                os.kill(killed[0], signal.SIGKILL)

        address = cluster.scheduler_address
        made = table(out=tmp_path / "table.sqlite", trials=PLENTY, cluster=address, watch=kill_one)
    assert killed
    assert made == whole


def test_no_cluster_at_all(tavern: Ruleset, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(Cluster, "PATIENCE", 0.5)
    with pytest.raises(UsageError, match=r"no cluster at tcp://127\.0\.0\.1:9"):
        table(cluster="tcp://127.0.0.1:9")
    with pytest.raises(UsageError, match="no cluster at nonsense"):
        table(cluster="nonsense://x")


def test_without_dask(tavern: Ruleset, monkeypatch: pytest.MonkeyPatch) -> None:
    modules: dict[str, Any] = __import__("sys").modules
    monkeypatch.setitem(modules, "distributed", None)
    with pytest.raises(UsageError, match=r"pip install 'warhost\[cluster\]'"):
        table(cluster="tcp://127.0.0.1:9")
