"""Who plays the pairings of a table: this process, several processes of this machine, or a Dask cluster.

Every one takes tasks and gives what came of them as it comes, in any order.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import wait as wait_for
from types import TracebackType
from typing import Any, Protocol

from warhost.errors import UsageError, WarhostError
from warhost_odds.allocator import keep_memory
from warhost_odds.pairings import Failed, PairingResult, Task, attempt, play, received


class WorkerDied(WarhostError):  # noqa: N818 (what people see)
    """A process that played pairings came to an end; what was played before is kept."""


class Workers(Protocol):
    """Plays tasks. A context manager: outside of it nobody works."""

    def __enter__(self) -> Workers: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def play(self, tasks: Sequence[Task]) -> Iterator[tuple[Task, PairingResult]]:
        """Each task with what came of it, as they come. Raises WarhostError, whatever a rule raises, too."""
        ...


def usual_number() -> int:
    """As many workers as this process may use processors."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not everywhere
        return os.cpu_count() or 1


class Here:
    """This process plays, one pairing after the other."""

    def __enter__(self) -> Here:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    def play(self, tasks: Sequence[Task]) -> Iterator[tuple[Task, PairingResult]]:
        for task in tasks:
            yield task, play(task)


class Processes:
    """Several new processes of this machine. They end with this one, however it ends."""

    def __init__(self, number: int) -> None:
        self.number = number
        self._pool: ProcessPoolExecutor | None = None
        self._others: set[Any] = set()

    def __enter__(self) -> Processes:
        self._others = set(multiprocessing.active_children())
        self._pool = ProcessPoolExecutor(
            self.number, multiprocessing.get_context("spawn"), initializer=_begin_to_work
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._pool is not None
        if kind is None:
            self._pool.shutdown()
            return
        ours = set(multiprocessing.active_children()) - self._others
        self._pool.shutdown(wait=False, cancel_futures=True)
        for process in ours:  # a pairing in hand may take minutes: nobody waits for it
            process.terminate()
        for process in ours:
            process.join()

    def play(self, tasks: Sequence[Task]) -> Iterator[tuple[Task, PairingResult]]:
        assert self._pool is not None
        tasks = list(tasks)
        pending: dict[Future[PairingResult | Failed], Task] = {}
        rest = iter(tasks)
        try:
            for task in rest:
                pending[self._pool.submit(attempt, task)] = task
                if len(pending) >= 2 * self.number:
                    break
            while pending:
                done, _ = wait(pending, return_when=FIRST_COMPLETED)
                for future in done:
                    task = pending.pop(future)
                    yield task, received(future.result())
                    following = next(rest, None)
                    if following is not None:
                        pending[self._pool.submit(attempt, following)] = following
        except BrokenProcessPool as error:
            raise WorkerDied(
                "a worker process came to an end in the middle of a pairing; the same command goes on from there"
            ) from error


def _begin_to_work() -> None:
    """Ctrl-C is for the process that gave the work, and without it there is no work."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    keep_memory()
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            wait_for([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


class Cluster:
    """The workers of a Dask cluster, by the address of its scheduler (`tcp://..`). They must have the same rulesets.

    A pairing whose worker dies is given to another.
    """

    PATIENCE = 20.0
    """Seconds to wait for an answer of the scheduler."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._client: Any = None

    def __enter__(self) -> Cluster:
        try:
            from distributed import Client
        except ImportError as error:
            needed = "a cluster needs Dask, which is not installed: `pip install 'warhost[cluster]'`"
            raise UsageError(needed) from error
        try:
            self._client = Client(self.address, timeout=self.PATIENCE, set_as_default=False)
        except (OSError, ValueError) as error:
            raise UsageError(f"there is no cluster at {self.address} ({error})") from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._client is not None:
            self._client.close()

    def play(self, tasks: Sequence[Task]) -> Iterator[tuple[Task, PairingResult]]:
        from distributed import as_completed
        from distributed.scheduler import KilledWorker

        futures = {
            self._client.submit(attempt, task, key=f"warhost-{task.key}", pure=False, retries=2): task for task in tasks
        }
        try:
            for future in as_completed(list(futures), loop=self._client.loop):
                yield futures[future], received(future.result())
        except KilledWorker as error:
            message = "a pairing was given up: each worker of the cluster that took it came to an end"
            raise WorkerDied(message) from error
        finally:
            self._client.cancel(list(futures))


def workers(number: int | None, cluster: str | None) -> Workers:
    """Those who are asked for: a cluster, or so many processes (1: this one alone; None: one for each processor)."""
    if cluster is not None:
        return Cluster(cluster)
    number = usual_number() if number is None else number
    return Here() if number <= 1 else Processes(number)
