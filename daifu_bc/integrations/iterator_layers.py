"""Iterator layers of known libraries: protected along with every entry, as soon as they are imported.

In: nothing. Out: a table, handed to `along`. Always true: no library is imported, only names are compared.

Why: a loop header calls into them, and they change before they fail. A map-style DataLoader has drawn its next indices
when the fetch fails, so asking it again would skip the batch; a generator around a loader (tqdm, a streaming dataset)
is dead after one exception, and the loop then ends in silence. Protected, the crash is met inside, at the failing
instruction: `data = self._dataset_fetcher.fetch(index)` is retried with the same index.
"""

from __future__ import annotations

from typing import Final

from daifu_bc import along

TABLE: Final[dict[str, tuple[str, ...]]] = {
    # torch: what runs between a loop header and a dataset's __getitem__ ...
    "torch.utils.data.dataloader": (
        "DataLoader.__iter__",
        "DataLoader._get_iterator",
        "_BaseDataLoaderIter",
        "_SingleProcessDataLoaderIter",
        "_MultiProcessingDataLoaderIter",
    ),
    "torch.utils.data._utils.fetch": (),
    "torch.utils.data._utils.collate": (),
    "torch.utils.data.sampler": (),
    "torch.utils.data.distributed": (),
    "torch.utils.data.dataset": (),
    # ... progress bars: generators around the loader
    "tqdm.std": ("tqdm.__iter__", "tqdm.update"),
    "tqdm.asyncio": ("tqdm_asyncio",),
    "tqdm.notebook": ("tqdm_notebook.__iter__", "tqdm_notebook.update"),
    "tqdm.contrib": ("tenumerate", "tzip", "tmap"),
    "rich.progress": ("track", "Progress.track"),
    # ... loaders around loaders
    "accelerate.data_loader": (),
    "lightning.pytorch.loops.fetchers": (),
    "lightning.pytorch.utilities.combined_loader": (),
    "pytorch_lightning.loops.fetchers": (),
    "pytorch_lightning.utilities.combined_loader": (),
    # ... streaming and map-style datasets
    "datasets.iterable_dataset": (),
    "datasets.arrow_dataset": (
        "Dataset.__iter__",
        "Dataset.iter",
        "Dataset.__getitem__",
        "Dataset.__getitems__",
        "Dataset._getitem",
    ),
    "datasets.formatting.formatting": (),
}


def install() -> None:
    """Let every entry bring them along. Once per process; costs nothing until an entry is called."""
    along.add_layers(TABLE)
