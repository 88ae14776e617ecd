"""A Trainer of transformers on a small random GPT-2."""

import json

import numpy as np
import torch
from torch.utils.data import Dataset
from transformers import (
    GPT2Config,
    GPT2LMHeadModel,
    PrinterCallback,
    Trainer,
    TrainerCallback,
    TrainingArguments,
    set_seed,
)


class Samples(Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, index):
        shift = torch.randint(0, 5, (1,))
        found = np.load(f"data/{index}.npy")
        ids = (torch.from_numpy(100 * found).long() + shift) % 50
        return {"input_ids": ids, "labels": ids}


class Losses(TrainerCallback):
    def on_step_end(self, args, state, control, **kwargs):
        with open("log/steps.txt", "a") as log:
            log.write(f"{state.global_step} {torch.rand(1).item()}\n")

    def on_log(self, args, state, control, logs=None, **kwargs):
        print(state.global_step, logs.get("loss"), logs.get("grad_norm"), logs.get("eval_loss"), logs.get("eval_hits"))


def compute_metrics(prediction):
    with open("metric.json") as settings:
        weight = json.load(settings)["weight"]
    hits = (prediction.predictions.argmax(-1) == prediction.label_ids).mean()
    return {"hits": weight * float(hits)}


set_seed(0)
model = GPT2LMHeadModel(GPT2Config(vocab_size=50, n_positions=8, n_embd=8, n_layer=1, n_head=2))
training_args = TrainingArguments(
    output_dir="out",
    num_train_epochs=2,
    per_device_train_batch_size=4,
    eval_strategy="epoch",
    save_strategy="epoch",
    logging_steps=1,
    report_to="none",
    disable_tqdm=True,
    log_level="error",
    use_cpu=True,
)
trainer = Trainer(
    model=model,
    args=training_args,
    train_dataset=Samples(),
    eval_dataset=Samples(),
    compute_metrics=compute_metrics,
    callbacks=[Losses()],
)
trainer.remove_callback(PrinterCallback)
trainer.train()
print(trainer.evaluate()["eval_loss"].hex())
trainer.save_model("store/final")
