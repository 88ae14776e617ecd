"""One training run that may crash: a process of its own, started by restoring.py.

In: a JSON object on the command line: model, at (the batch that crashes, -1 for none), how (plain, daifu_bc,
vaccination, checkpoint, async_checkpoint), folder, interval (batches between checkpoints), resume, batches. Out: a JSON
object on the last line of standard output: when it raised, when the failing statement ran again, when its iteration
was done, seconds of an iteration and of a checkpoint (in `time.time()`).
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import torch
from torch.utils.data import DataLoader, TensorDataset

BATCH = 8
times: dict[str, Any] = {"raised": None, "again": None, "done": None, "saves": [], "steps": []}


def a_model(name: str) -> tuple[torch.nn.Module, bool]:
    """A small one, with its loss, and whether it reads images."""
    import transformers as t

    torch.manual_seed(0)
    if name == "ResNet":
        sizes = {"embedding_size": 16, "hidden_sizes": [16, 32, 64, 128], "depths": [1, 1, 1, 1], "layer_type": "basic"}
        return t.ResNetForImageClassification(t.ResNetConfig(**sizes, num_labels=10)), True
    small = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 128}
    if name == "ViT":
        return t.ViTForImageClassification(t.ViTConfig(**small, image_size=32, patch_size=8, num_labels=10)), True
    if name == "Swin":
        sizes = {"patch_size": 2, "embed_dim": 24, "depths": [1, 1], "num_heads": [2, 4], "window_size": 4}
        return t.SwinForImageClassification(t.SwinConfig(image_size=32, num_labels=10, **sizes)), True
    if name == "GPT-2":
        sizes = {"n_embd": 64, "n_layer": 2, "n_head": 2, "n_positions": 64}
        return t.GPT2LMHeadModel(t.GPT2Config(vocab_size=500, **sizes)), False
    return t.LlamaForCausalLM(t.LlamaConfig(vocab_size=500, **small, max_position_embeddings=64)), False


def batches_of(reads_images: bool, count: int) -> list[dict[str, torch.Tensor]]:
    """An epoch, shuffled by a seed."""
    torch.manual_seed(1)
    if reads_images:
        data = TensorDataset(torch.randn(count * BATCH, 3, 32, 32), torch.randint(10, (count * BATCH,)))
        names = ("pixel_values", "labels")
    else:
        tokens = torch.randint(500, (count * BATCH, 32))
        data, names = TensorDataset(tokens, tokens), ("input_ids", "labels")
    loader = DataLoader(data, BATCH, shuffle=True, generator=torch.Generator().manual_seed(2))
    return [dict(zip(names, batch, strict=True)) for batch in loader]


class Fault:
    """Raises once at a batch; notes when, and when it is called for that batch again."""

    def __init__(self, at: int, armed: bool) -> None:
        self.at, self.armed = at, armed

    def __call__(self, number: int) -> None:
        if number != self.at:
            return
        if self.armed:
            self.armed = False
            times["raised"] = time.time()
            raise OSError("injected")
        times["again"] = time.time()


def train(model, batches, optimizer, first, fault, after):
    """One epoch."""
    for number, batch in enumerate(batches):
        if number < first:
            continue
        optimizer.zero_grad()
        loss = model(**batch).loss
        fault(number)
        loss.backward()
        optimizer.step()
        after(number)


class After:
    """What happens after each batch: times, checkpoints."""

    def __init__(self, options: dict[str, Any], state: dict[str, Any]) -> None:
        self.options, self.state = options, state
        self.last = time.time()
        self.running: Any = None

    def __call__(self, number: int) -> None:
        now = time.time()
        times["steps"].append(now - self.last)
        if number == self.options["at"] and times["again"] is not None:
            times["done"] = now
        if "checkpoint" in self.options["how"] and (number + 1) % self.options["interval"] == 0:
            self.save(number)
        self.last = time.time()

    def save(self, number: int) -> None:
        """A checkpoint by torch.distributed.checkpoint."""
        import torch.distributed.checkpoint as dcp

        began = time.time()
        path = Path(self.options["folder"]) / f"step-{number + 1}"
        if self.options["how"] == "async_checkpoint":
            if self.running is not None:
                self.running.result()
            self.running = dcp.async_save(state_of(self.state), checkpoint_id=str(path))
        else:
            dcp.save(state_of(self.state), checkpoint_id=str(path))
        times["saves"].append(time.time() - began)


def state_of(state: dict[str, Any]) -> dict[str, Any]:
    """What a checkpoint holds."""
    return {"model": state["model"].state_dict(), "optimizer": state["optimizer"].state_dict()}


def load_last(folder: Path, state: dict[str, Any]) -> int:
    """The number of batches that the last whole checkpoint stands for."""
    import torch.distributed.checkpoint as dcp

    found = sorted(
        (int(path.name.removeprefix("step-")), path)
        for path in folder.glob("step-*")
        if (path / ".metadata").exists()
    )
    if not found:
        return 0
    number, path = found[-1]
    values = state_of(state)
    dcp.load(values, checkpoint_id=str(path))
    state["model"].load_state_dict(values["model"])
    state["optimizer"].load_state_dict(values["optimizer"])
    return number


def entry(how: str) -> Any:
    """`train` as it is used with each."""
    if how == "daifu_bc":
        import daifu_bc

        return daifu_bc.protect(train, on_crash=lambda crash: daifu_bc.Retry())
    if how == "vaccination":
        from perf.vaccination import vaccinate

        return vaccinate(train, lambda crash: None)
    return train


def main() -> None:
    options = json.loads(sys.argv[1])
    torch.set_num_threads(1)
    if options["how"] == "async_checkpoint":
        os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
        store = torch.distributed.HashStore()
        torch.distributed.init_process_group("gloo", store=store, rank=0, world_size=1)
    model, reads_images = a_model(options["model"])
    batches = batches_of(reads_images, options["batches"])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    state = {"model": model, "optimizer": optimizer}
    first = load_last(Path(options["folder"]), state) if options["resume"] else 0
    after = After(options, state)
    times["ready"] = time.time()

    def killed(*error: object) -> None:
        """As by a scheduler: no clean-up."""
        report(first)
        os._exit(1)

    sys.excepthook = killed
    entry(options["how"])(model, batches, optimizer, first, Fault(options["at"], not options["resume"]), after)
    if after.running is not None:
        after.running.result()
    report(first)


def report(first: int) -> None:
    """The last line."""
    middle = statistics.median(times["steps"][2:] or [0.0])
    saves = statistics.median(times["saves"] or [0.0])
    print("\n" + json.dumps({**times, "steps": middle, "saves": saves, "first": first}), flush=True)


if __name__ == "__main__":
    main()
