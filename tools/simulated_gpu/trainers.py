"""Run Lightning's and transformers' trainers whole on a simulated GPU: train, save, load, go on, evaluate.

    python -m simulated_gpu tools/simulated_gpu/trainers.py

Needs lightning, transformers and accelerate. Each trainer runs on the CPU too, and must arrive at the same loss.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import lightning
import torch
import transformers
from lightning.pytorch.callbacks import ModelCheckpoint
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset, TensorDataset


def main() -> None:
    """Print the last losses of each trainer on both devices."""
    runs: dict[str, Callable[[str, Path], float]] = {
        "lightning, float32": lambda device, folder: with_lightning(device, folder, "32-true"),
        "lightning, float16 under autocast": lambda device, folder: with_lightning(device, folder, "16-mixed"),
        "lightning, bfloat16 under autocast": lambda device, folder: with_lightning(device, folder, "bf16-mixed"),
        "transformers": with_transformers,
    }
    for name, run in runs.items():
        losses = []
        for device in "cuda", "cpu":
            with tempfile.TemporaryDirectory() as folder:
                losses.append(run(device, Path(folder)))
        print(f"{name}: {losses[0]:.5f} on CUDA, {losses[1]:.5f} on the CPU")
        assert abs(losses[0] - losses[1]) < 0.05 * abs(losses[1]), name


class Regression(lightning.LightningModule):
    """A network of two layers with batch norm."""

    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 1))

    def training_step(self, batch: list[Tensor], index: int) -> Tensor:
        loss = nn.functional.mse_loss(self.net(batch[0]), batch[1])
        self.log("loss", loss)
        return loss

    def validation_step(self, batch: list[Tensor], index: int) -> None:
        self.log("validation", nn.functional.mse_loss(self.net(batch[0]), batch[1]))

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.AdamW(self.parameters(), lr=0.01)


def with_lightning(device: str, folder: Path, precision: str) -> float:
    """Train two epochs, load the best checkpoint, train one more, and return the loss of the validation."""
    lightning.seed_everything(0, verbose=False)
    x = torch.randn(64, 4)
    loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=16)
    best = ModelCheckpoint(folder, monitor="validation")

    def trainer(epochs: int) -> lightning.Trainer:
        return lightning.Trainer(
            accelerator="gpu" if device == "cuda" else "cpu",
            devices=1,
            max_epochs=epochs,
            callbacks=[best],
            default_root_dir=folder,
            precision="bf16-mixed" if device == "cpu" and precision == "16-mixed" else precision,
            logger=False,
            enable_progress_bar=False,
            enable_model_summary=False,
        )

    trainer(2).fit(Regression(), loader, loader)
    again = trainer(3)
    again.fit(Regression(), loader, loader, ckpt_path=best.best_model_path)
    return float(again.validate(Regression(), loader, ckpt_path="best", verbose=False)[0]["validation"])


class Sentences(Dataset[dict[str, Tensor]]):
    """Sequences of numbers that count upward."""

    def __len__(self) -> int:
        return 32

    def __getitem__(self, index: int) -> dict[str, Tensor]:
        ids = (torch.arange(16) + index) % 64
        return {"input_ids": ids, "labels": ids}


def with_transformers(device: str, folder: Path) -> float:
    """Train four steps, go on from the checkpoint to eight, and return the loss of the evaluation."""
    config = transformers.GPT2Config(
        vocab_size=64, n_positions=16, n_embd=32, n_layer=2, n_head=2, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0
    )

    def trainer(steps: int) -> transformers.Trainer:
        transformers.set_seed(0)
        arguments = transformers.TrainingArguments(
            str(folder),
            max_steps=steps,
            save_steps=4,
            per_device_train_batch_size=8,
            report_to=[],
            disable_tqdm=True,
            use_cpu=device == "cpu",
            logging_strategy="no",
        )
        model = transformers.GPT2LMHeadModel(config)
        return transformers.Trainer(model, arguments, train_dataset=Sentences(), eval_dataset=Sentences())

    trainer(4).train()
    again = trainer(8)
    again.train(resume_from_checkpoint=True)
    again.save_model(str(folder / "saved"))
    loaded = transformers.GPT2LMHeadModel.from_pretrained(folder / "saved").to(device)
    batch = {name: torch.stack([Sentences()[i][name] for i in range(8)]).to(device) for name in Sentences()[0]}
    loss = loaded.eval()(**batch).loss.item()
    assert abs(loss - again.model.eval()(**batch).loss.item()) < 1e-4
    return float(again.evaluate()["eval_loss"])


if __name__ == "__main__":
    main()
