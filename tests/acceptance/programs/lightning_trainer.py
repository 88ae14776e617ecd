"""A Trainer of Lightning with a module, a callback and a validation loop."""

import json

import lightning as L
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Samples(Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, index):
        noise = 0.1 * torch.rand(4)
        found = np.load(f"data/{index}.npy")
        return torch.from_numpy(found) + noise, torch.tensor(index % 2)


class Classifier(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 2))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self.layers(x), y)
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        with open("metric.json") as settings:
            weight = json.load(settings)["weight"]
        self.log("val_loss", weight * F.cross_entropy(self.layers(x), y))

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.01)


class Losses(L.Callback):
    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        print(batch_idx, outputs["loss"].item().hex())
        with open("log/steps.txt", "a") as log:
            log.write(f"{batch_idx} {torch.rand(1).item()}\n")


L.seed_everything(0)
trainer = L.Trainer(
    max_epochs=2,
    accelerator="cpu",
    callbacks=[Losses()],
    logger=False,
    enable_progress_bar=False,
    enable_model_summary=False,
    default_root_dir="out",
)
trainer.fit(Classifier(), DataLoader(Samples(), batch_size=4, shuffle=True), DataLoader(Samples(), batch_size=4))
print(trainer.callback_metrics["val_loss"].item().hex())
trainer.save_checkpoint("store/final/model.ckpt")
