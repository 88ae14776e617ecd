"""The table of iterator layers agrees with the libraries that are installed."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from daifu_bc import along
from daifu_bc.crash.entries import entry_of
from daifu_bc.instrument import is_protected, protect
from daifu_bc.integrations import iterator_layers

ROWS = [(module, name) for module, names in iterator_layers.TABLE.items() for name in names or ("",)]


@pytest.fixture(autouse=True)
def layers(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(along, "_layers", {})
    iterator_layers.install()
    yield


def imported(name: str) -> Any:
    """The module, or the test is skipped because its library is not here."""
    try:
        return importlib.import_module(name)
    except Exception as error:  # a library may fail on import in its own ways (tqdm.notebook without IPython)
        pytest.skip(f"{name}: {error}")


@pytest.mark.parametrize(("module", "name"), ROWS)
def test_every_row_names_python_functions(module: str, name: str) -> None:
    if (
        module.partition(".")[0] not in sys.modules
        and importlib.util.find_spec(module.partition(".")[0]) is None
    ):
        pytest.skip("not installed")
    found = [function.__qualname__ for function in along._layer_functions(imported(module))]
    assert any(not name or q == name or q.startswith(name + ".") for q in found), found


def test_installing_the_table_imports_no_library(run_python: Any) -> None:
    text = (
        "import sys\n"
        "from daifu_bc.integrations import iterator_layers\n"
        "iterator_layers.install()\n"
        "print(sorted({'torch', 'tqdm', 'accelerate', 'datasets', 'rich'} & set(sys.modules)))\n"
    )
    assert run_python("-c", text).strip() == "[]"


def test_a_loader_and_a_progress_bar_come_along_and_work() -> None:
    data, tqdm = imported("torch.utils.data"), imported("tqdm")

    @protect(scope="nested")
    def run() -> list[int]:
        loader = data.DataLoader(range(6), batch_size=2)
        return [int(batch.sum()) for batch in tqdm.tqdm(loader, disable=True)]

    assert run() == [1, 5, 9]
    for function in (
        data.dataloader._SingleProcessDataLoaderIter._next_data,
        data.dataloader._BaseDataLoaderIter.__next__,
        data._utils.fetch._MapDatasetFetcher.fetch,
        data._utils.collate.default_collate,
        data.BatchSampler.__iter__,
        tqdm.tqdm.__iter__,
    ):
        assert is_protected(function) and entry_of(function.__code__) is None


def test_a_failed_fetch_is_fetched_again_with_the_same_indices() -> None:
    data = imported("torch.utils.data")
    from daifu_bc import Retry

    class Flaky(data.Dataset):  # type: ignore[misc, name-defined]
        asked: list[int] = []

        def __len__(self) -> int:
            return 6

        def __getitem__(self, index: int) -> int:
            self.asked.append(index)
            if len(self.asked) == 4:
                raise OSError("disk")
            return index

    crashes = []

    def again(crash: Any) -> Retry:
        crashes.append(crash.function)
        return Retry()

    @protect(scope="nested", on_crash=again)
    def run() -> list[list[int]]:
        return [batch.tolist() for batch in data.DataLoader(Flaky(), batch_size=2)]

    assert run() == [[0, 1], [2, 3], [4, 5]]
    assert crashes == ["_MapDatasetFetcher.fetch"]
    assert Flaky.asked == [0, 1, 2, 3, 3, 4, 5]
