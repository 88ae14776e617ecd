"""A Trainer of transformers on a small random GPT-2; the model card comes last."""

import json

import torch
from transformers import (
    GPT2Config,
    GPT2LMHeadModel,
    PrinterCallback,
    Trainer,
    TrainerCallback,
    TrainingArguments,
    set_seed,
)

reads = []


class Samples(torch.utils.data.Dataset):
    def __len__(self):
        return 12

    def __getitem__(self, index):
        reads.append(index)
        ids = (torch.arange(6) * index + torch.randint(0, 5, (1,))) % 50
        return {"input_ids": ids, "labels": ids}


class Losses(TrainerCallback):
    def __init__(self):
        self.seen = []

    def on_log(self, args, state, control, logs=None, **kwargs):
        if "loss" in logs:
            self.seen.append((state.global_step, logs["loss"], logs["grad_norm"]))


def main(seed=0):
    if seed is not None:
        set_seed(seed)
    model = GPT2LMHeadModel(GPT2Config(vocab_size=50, n_positions=8, n_embd=8, n_layer=1, n_head=2))
    arguments = TrainingArguments(
        output_dir="out",
        num_train_epochs=2,
        per_device_train_batch_size=4,
        save_strategy="no",
        logging_steps=1,
        report_to="none",
        disable_tqdm=True,
        use_cpu=True,
    )
    losses = Losses()
    trainer = Trainer(model=model, args=arguments, train_dataset=Samples(), callbacks=[losses])
    trainer.remove_callback(PrinterCallback)
    trainer.train()
    model.save_pretrained("final")
    trainer.create_model_card(model_name="small")
    with open("results.json", "w") as file:
        json.dump({"loss": losses.seen[-1][1]}, file)
    return {"losses": losses.seen, "reads": reads, "model": model}
