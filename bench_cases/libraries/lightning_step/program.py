"""A Trainer of Lightning; a callback says when a run has failed."""

import logging
import warnings

import lightning
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
warnings.simplefilter("ignore")


def loss_of(output, y):
    return nn.functional.cross_entropy(output, y)


class Classifier(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 2))
        self.losses = []

    def training_step(self, batch, batch_idx):
        x, y = batch
        output = self.layers(x)
        loss = loss_of(output, y)
        self.losses.append(loss.item())
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.01)


class Alarm(lightning.Callback):
    def on_exception(self, trainer, pl_module, exception):
        with open("failed.txt", "a") as file:
            file.write(f"{type(exception).__name__}\n")


def main(seed=0):
    if seed is not None:
        lightning.seed_everything(seed)
    data = TensorDataset(torch.randn(24, 4), torch.arange(24) % 2)
    trainer = lightning.Trainer(
        max_epochs=2,
        accelerator="cpu",
        callbacks=[Alarm()],
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    model = Classifier()
    trainer.fit(model, DataLoader(data, batch_size=4, shuffle=True))
    return {"losses": model.losses, "model": model, "steps": trainer.global_step}
