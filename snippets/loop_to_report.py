"""A training loop on random data, to be reported on by a simulated GPU. It runs on any device.

python -m simulated_gpu --report snippets/loop_to_report.py
python -m simulated_gpu --report snippets/loop_to_report.py --pin-memory --log-every 10
"""

import argparse

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint
from torch.utils.data import DataLoader, TensorDataset


class Network(nn.Module):
    """Four pairs of hidden layers, each added to its input."""

    def __init__(self, width: int = 256, checkpointing: bool = False) -> None:
        super().__init__()
        self.checkpointing = checkpointing
        self.first, self.last = nn.Linear(32, width), nn.Linear(width, 10)
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.Linear(width, 4 * width), nn.ReLU(), nn.Linear(4 * width, width)) for _ in range(4)
        )

    def forward(self, x: Tensor) -> Tensor:
        """Return the scores of ten classes."""
        x = self.first(x)
        for block in self.blocks:
            x = x + (checkpoint(block, x, use_reentrant=False) if self.checkpointing else block(x))
        return self.last(x)


def train(options: argparse.Namespace) -> None:
    """Train as many steps as were asked for."""
    torch.manual_seed(0)
    device = torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")
    count = options.steps * options.batch_size
    data = TensorDataset(torch.randn(count, 32), torch.randint(10, (count,)))
    loader = DataLoader(data, batch_size=options.batch_size, pin_memory=options.pin_memory)
    model = Network(checkpointing=options.checkpointing).to(device)
    optimizer = torch.optim.AdamW(model.parameters())
    for step, batch in enumerate(loader, 1):
        inputs, targets = (tensor.to(device, non_blocking=options.pin_memory) for tensor in batch)
        loss = nn.functional.cross_entropy(model(inputs), targets)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if step % options.log_every == 0:
            print(f"step {step}: loss {loss.item():.2f}")


def main() -> None:
    """Read the command line, and train."""
    parser = argparse.ArgumentParser(description="Train a small network on random data.")
    parser.add_argument("--steps", type=int, default=10, metavar="N", help="how many steps (default: 10)")
    parser.add_argument("--batch-size", type=int, default=64, metavar="N", help="samples in a step (default: 64)")
    parser.add_argument("--log-every", type=int, default=1, metavar="N", help="steps between two prints (default: 1)")
    parser.add_argument("--pin-memory", action="store_true", help="pin the batches, and copy them without waiting")
    parser.add_argument("--checkpointing", action="store_true", help="compute the hidden layers again in backward")
    train(parser.parse_args())


if __name__ == "__main__":
    main()
